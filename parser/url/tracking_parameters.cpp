#include "parser/url/tracking_parameters.h"

#include <algorithm>
#include <array>

namespace linkherd::parser {
namespace {

struct SiteParameters {
  std::string_view site;   // this host and all below it; empty: every host
  std::string_view names;  // separated by spaces; "*" at the end stands for any rest
};

// Never listed, because they choose the page or open it: bilibili p and t, WeChat __biz, mid, idx and sn, YouTube v and
// t, xiaohongshu xsec_token, and everywhere id, page and q.
constexpr std::array parameters_of_sites = {
    SiteParameters{
        "",
        "utm_* mtm_* pk_* itm_* hsa_* __hs* vero_* fb_action_* gclid gclsrc dclid gbraid wbraid _ga _gl "
        "srsltid fbclid fb_ref fb_source msclkid twclid ttclid yclid ysclid _openstat mc_eid mc_cid mkt_tok "
        "_hsenc _hsmi hsCtaTracking oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash igshid igsh cmpid "
        "s_cid wt_mc WT.mc_id at_medium at_campaign at_custom* share_source share_medium share_plat "
        "share_from hmsr hmpl hmcu hmkw hmci bd_vid"},

    SiteParameters{"bilibili.com",
                   "spm_id_from vd_source from_source from_spmid seid search_source share_source share_medium "
                   "share_plat share_tag share_session_id share_times unique_k bbid ts buvid is_story_h5 plat_id up_id "
                   "launch_id session_id visit_id broadcast_type hotRank trackid"},
    SiteParameters{"b23.tv",
                   "share_source share_medium share_plat share_tag share_session_id share_times unique_k bbid ts"},
    SiteParameters{"mp.weixin.qq.com",
                   "chksm scene subscene sharer_* from isappinstalled mpshare srcid wx_header clicktime enterid ascene "
                   "devicetype version nettype abtest_cookie pass_ticket exportkey session_us countrycode poc_token "
                   "click_id sessionid xtrack realreporttime search_click_id forceh5 from_safari fontScale "
                   "finder_biz_enter_id color_scheme spm"},
    SiteParameters{"zhihu.com",
                   "share_code s_r wechatShare ssr_src hybrid_search_source hybrid_search_extra is_hybridpage "
                   "native_id promotion_* sharer_* invite_code zhida_source hide_search_box"},
    SiteParameters{"douban.com", "_dtcc _i dt_platform dt_dapp from_ dcs dcm"},
    SiteParameters{"weibo.com", "from wm featurecode sourceType refer_flag wvr luicode lfid"},
    SiteParameters{"weibo.cn", "from wm featurecode sourceType refer_flag luicode lfid"},
    SiteParameters{"xiaohongshu.com",
                   "xsec_source app_platform app_version share_from_user_hidden author_share shareRedId apptime appuid "
                   "share_id exSource wechatWid wechatOrigin"},
    SiteParameters{"csdn.net",
                   "spm ops_request_misc request_id biz_id dist_request_id depth_1-utm_* ydreferer fromshare sharetype "
                   "sharerId sharerefer sharesource sharefrom"},
    SiteParameters{"aliyun.com", "spm scm userCode"},
    SiteParameters{"alibaba.com", "spm scm"},
    SiteParameters{"alibaba-inc.com", "spm scm"},
    SiteParameters{"1688.com", "spm scm"},
    SiteParameters{"alibabacloud.com", "spm scm"},
    SiteParameters{"aliexpress.com", "spm scm pvid algo_pvid algo_exp_id aff_* sk terminal_id"},
    SiteParameters{"alipay.com", "spm scm"},
    SiteParameters{"antgroup.com", "spm scm"},
    SiteParameters{"atatech.org", "spm scm"},
    SiteParameters{"dingtalk.com", "spm scm"},
    SiteParameters{"fliggy.com", "spm scm"},
    SiteParameters{"taobao.com",
                   "spm scm pvid ali_refid ali_trackid ut_sk suid un share_crt_v cpp shareurl bxsign abbucket ns mi_id "
                   "utparam xxc"},
    SiteParameters{"tmall.com", "spm scm pvid ali_refid ali_trackid ut_sk suid abbucket ns mi_id utparam xxc"},
    SiteParameters{"yuque.com", "spm scm"},
    SiteParameters{"modelscope.cn", "spm scm"},
    SiteParameters{"juejin.cn", "share_token from searchId"},
    SiteParameters{"jianshu.com", "from timeline isappinstalled"},
    SiteParameters{"toutiao.com", "app timestamp log_from tt_from share_token use_new_style req_id wid"},
    SiteParameters{"douyin.com", "previous_page enter_from is_from_webapp extra_params"},
    SiteParameters{"infoq.cn", "source"},
    SiteParameters{"36kr.com", "f from"},
    SiteParameters{"163.com", "spss spsnuid spsdevid spsvid spsshare spsts spstoken spssid spsw isFromH5Share"},
    SiteParameters{"sohu.com", "spm scm _trans_ _f"},
    SiteParameters{"baidu.com", "rsv_* inputT oq rqlang rqid sugsiz prefixsug hisfilter"},

    SiteParameters{"youtube.com", "feature si pp ab_channel kw embeds_referring_euri embeds_referring_origin"},
    SiteParameters{"youtu.be", "feature si pp"},
    SiteParameters{"spotify.com", "si context nd dlsi"},
    SiteParameters{"twitter.com", "s ref_src ref_url cxt"},
    SiteParameters{"x.com", "s ref_src ref_url cxt"},
    SiteParameters{"facebook.com", "__tn__ __cft__* __xts__* fref hc_ref hc_location mibextid rdid refsrc"},
    SiteParameters{"tiktok.com", "is_from_webapp is_copy_url sender_device sender_web_id _r _t web_id refer"},
    SiteParameters{"reddit.com", "share_id rdt ref ref_source correlation_id"},
    SiteParameters{"linkedin.com", "trk trackingId lipi refId midToken midSig trkEmail otpToken rcm"},
    SiteParameters{"medium.com", "source"},
    SiteParameters{"substack.com",
                   "r s showWelcome showWelcomeOnShare triedRedirect isFreemail publication_id post_id"},
    SiteParameters{"google.com",
                   "ved ei sca_esv sca_upv gs_lcrp gs_lp gs_lcp sxsrf sourceid oq aqs sclient uact biw bih dpr iflsig"},
    SiteParameters{"bing.com", "cvid form FORM sk sp qs pq sc ghsh ghacc ghpl"},
    SiteParameters{"amazon.com",
                   "ref ref_ tag pd_rd_* pf_rd_* qid sr crid sprefix dib dib_tag linkCode linkId camp creative "
                   "creativeASIN ascsubtag _encoding content-id"},
    SiteParameters{"stackoverflow.com", "rq r"},
};

bool covers(std::string_view site, std::string_view host) {
  if (site.empty() || host == site) return true;
  return host.size() > site.size() && host.ends_with(site) && host[host.size() - site.size() - 1] == '.';
}

bool names_contain(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::string_view entry = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(names.size(), entry.size() + 1));
    if (entry.ends_with('*') ? name.starts_with(entry.substr(0, entry.size() - 1)) : name == entry) return true;
  }
  return false;
}

}  // namespace

bool is_tracking_parameter(std::string_view host, std::string_view name) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return std::ranges::any_of(parameters_of_sites, [host, name](const SiteParameters& entry) {
    return covers(entry.site, host) && names_contain(entry.names, name);
  });
}

}  // namespace linkherd::parser
