#include "parser/url/tracking_parameters.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "parser/ascii.h"

namespace linkherd::parser {

struct SiteParameters {
  std::vector<std::string_view> names;   // sorted
  std::vector<std::string_view> starts;  // prefixes of names
};

namespace {

struct Row {
  std::string_view site;   // a host, including its subdomains; empty for all hosts
  std::string_view names;  // separated by spaces; a "*" at the end matches any suffix
};

// Do not list these parameters, because they select the page or give access to it: bilibili p and t; WeChat __biz, mid,
// idx and sn; YouTube v and t; xiaohongshu xsec_token; and id, page and q on all hosts.
constexpr std::array parameters_of_sites = {
    Row{"",
        "utm_* mtm_* pk_* itm_* hsa_* __hs* vero_* fb_action_* gclid gclsrc dclid gbraid wbraid _ga _gl "
        "srsltid fbclid fb_ref fb_source msclkid twclid ttclid yclid ysclid _openstat mc_eid mc_cid mkt_tok "
        "_hsenc _hsmi hsCtaTracking oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash igshid igsh cmpid "
        "s_cid wt_mc WT.mc_id at_medium at_campaign at_custom* share_source share_medium share_plat "
        "share_from hmsr hmpl hmcu hmkw hmci bd_vid"},

    Row{"bilibili.com",
        "spm_id_from vd_source from_source from_spmid seid search_source share_source share_medium "
        "share_plat share_tag share_session_id share_times unique_k bbid ts buvid is_story_h5 plat_id up_id "
        "launch_id session_id visit_id broadcast_type hotRank trackid"},
    Row{"b23.tv", "share_source share_medium share_plat share_tag share_session_id share_times unique_k bbid ts"},
    Row{"mp.weixin.qq.com",
        "chksm scene subscene sharer_* from isappinstalled mpshare srcid wx_header clicktime enterid ascene "
        "devicetype version nettype abtest_cookie pass_ticket exportkey session_us countrycode poc_token "
        "click_id sessionid xtrack realreporttime search_click_id forceh5 from_safari fontScale "
        "finder_biz_enter_id color_scheme spm"},
    Row{"zhihu.com",
        "share_code s_r wechatShare ssr_src hybrid_search_source hybrid_search_extra is_hybridpage "
        "native_id promotion_* sharer_* invite_code zhida_source hide_search_box"},
    Row{"douban.com", "_dtcc _i dt_platform dt_dapp from_ dcs dcm"},
    Row{"weibo.com", "from wm featurecode sourceType refer_flag wvr luicode lfid"},
    Row{"weibo.cn", "from wm featurecode sourceType refer_flag luicode lfid"},
    Row{"xiaohongshu.com",
        "xsec_source app_platform app_version share_from_user_hidden author_share shareRedId apptime appuid "
        "share_id exSource wechatWid wechatOrigin"},
    Row{"csdn.net",
        "spm ops_request_misc request_id biz_id dist_request_id depth_1-utm_* ydreferer fromshare sharetype "
        "sharerId sharerefer sharesource sharefrom"},
    Row{"aliyun.com", "spm scm userCode"},
    Row{"alibaba.com", "spm scm"},
    Row{"alibaba-inc.com", "spm scm"},
    Row{"1688.com", "spm scm"},
    Row{"alibabacloud.com", "spm scm"},
    Row{"aliexpress.com", "spm scm pvid algo_pvid algo_exp_id aff_* sk terminal_id"},
    Row{"alipay.com", "spm scm"},
    Row{"antgroup.com", "spm scm"},
    Row{"atatech.org", "spm scm"},
    Row{"dingtalk.com", "spm scm"},
    Row{"fliggy.com", "spm scm"},
    Row{"taobao.com",
        "spm scm pvid ali_refid ali_trackid ut_sk suid un share_crt_v cpp shareurl bxsign abbucket ns mi_id "
        "utparam xxc"},
    Row{"tmall.com", "spm scm pvid ali_refid ali_trackid ut_sk suid abbucket ns mi_id utparam xxc"},
    Row{"yuque.com", "spm scm"},
    Row{"modelscope.cn", "spm scm"},
    Row{"juejin.cn", "share_token from searchId"},
    Row{"jianshu.com", "from timeline isappinstalled"},
    Row{"toutiao.com", "app timestamp log_from tt_from share_token use_new_style req_id wid"},
    Row{"douyin.com", "previous_page enter_from is_from_webapp extra_params"},
    Row{"infoq.cn", "source"},
    Row{"36kr.com", "f from"},
    Row{"163.com", "spss spsnuid spsdevid spsvid spsshare spsts spstoken spssid spsw isFromH5Share"},
    Row{"sohu.com", "spm scm _trans_ _f"},
    Row{"baidu.com", "rsv_* inputT oq rqlang rqid sugsiz prefixsug hisfilter"},

    Row{"youtube.com", "feature si pp ab_channel kw embeds_referring_euri embeds_referring_origin"},
    Row{"youtu.be", "feature si pp"},
    Row{"spotify.com", "si context nd dlsi"},
    Row{"twitter.com", "s ref_src ref_url cxt"},
    Row{"x.com", "s ref_src ref_url cxt"},
    Row{"facebook.com", "__tn__ __cft__* __xts__* fref hc_ref hc_location mibextid rdid refsrc"},
    Row{"tiktok.com", "is_from_webapp is_copy_url sender_device sender_web_id _r _t web_id refer"},
    Row{"reddit.com", "share_id rdt ref ref_source correlation_id"},
    Row{"linkedin.com", "trk trackingId lipi refId midToken midSig trkEmail otpToken rcm"},
    Row{"medium.com", "source"},
    Row{"substack.com", "r s showWelcome showWelcomeOnShare triedRedirect isFreemail publication_id post_id"},
    Row{"google.com",
        "ved ei sca_esv sca_upv gs_lcrp gs_lp gs_lcp sxsrf sourceid oq aqs sclient uact biw bih dpr iflsig"},
    Row{"bing.com", "cvid form FORM sk sp qs pq sc ghsh ghacc ghpl"},
    Row{"amazon.com",
        "ref ref_ tag pd_rd_* pf_rd_* qid sr crid sprefix dib dib_tag linkCode linkId camp creative "
        "creativeASIN ascsubtag _encoding content-id"},
    Row{"stackoverflow.com", "rq r"},
};

using Sites = std::unordered_map<std::string_view, SiteParameters>;

Sites index_sites() {
  Sites sites;
  for (const Row& row : parameters_of_sites) {
    SiteParameters& site = sites[row.site];
    std::string_view names = row.names;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(' '));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      if (name.ends_with('*')) {
        site.starts.push_back(name.substr(0, name.size() - 1));
      } else {
        site.names.push_back(name);
      }
    }
    std::ranges::sort(site.names);
  }
  return sites;
}

}  // namespace

TrackingParameters::TrackingParameters(std::string_view host) {
  static const Sites sites = index_sites();
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto add = [this](std::string_view site) {
    const auto found = sites.find(site);
    if (found != sites.end() && count_ < max_rows) rows_[count_++] = &found->second;
  };
  add("");
  // Looks up the last label, then the last two, and so on. No row has more than four labels.
  std::size_t start = host.size();
  for (std::size_t labels = 0; start > 0 && labels < 4; ++labels) {
    const std::size_t dot = host.rfind('.', start - 1);
    add(host.substr(dot == std::string_view::npos ? 0 : dot + 1));
    start = dot == std::string_view::npos ? 0 : dot;
  }
}

bool TrackingParameters::contains(std::string_view name) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (std::ranges::binary_search(rows_[i]->names, name)) return true;
    if (std::ranges::any_of(rows_[i]->starts, [name](std::string_view start) { return name.starts_with(start); })) {
      return true;
    }
  }
  return false;
}

bool is_session_parameter(std::string_view name) {
  static constexpr std::array<std::string_view, 12> names{"phpsessid", "jsessionid", "sessionid", "session_id",
                                                          "sessid",    "sid",        "cfid",      "cftoken",
                                                          "oscsid",    "zenid",      "session",   "aspsessionid"};
  return is_one_of(names, name);
}

}  // namespace linkherd::parser
