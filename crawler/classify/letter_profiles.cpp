#include "crawler/classify/letter_profiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

struct LetterProfile {
  Language language;
  std::string_view sequences;
};

// The most frequent sequences of three letters of each language, most frequent first, counted in news and blogs. "_" is
// the beginning or end of a word.
constexpr std::array<LetterProfile, 7> letter_profiles{{
    {Language::english,
     "_th the he_ ing ng_ _an ed_ _in _to nd_ and to_ er_ on_ _of es_ of_ in_ re_ _co _a_ at_ _re ion is_ ent "
     "or_ for as_ tio ly_ _fo _be hat an_ tha nt_ st_ _ha al_ _wi ts_ it_ _it _on _wh ter _st _pr en_ _is le_ "
     "ve_ her ati ver ll_ ate _wa _s_ _ma ut_ all _de _ca thi _yo ers _mo _we _se th_ se_ you _no rs_ ce_ _he "
     "res me_ _so ere are con his ns_ _al _ar _li ith wit rea te_ ne_ our ive est ons _sa _as _fr ry_ _i_ _bu "
     "com men _ne pro eve ted _wo tin out _me ty_ ear sta ld_ _di ch_ _pa nce _do _sh ay_ ou_ _po ill _tr ess "
     "one _su ome _ho int ect _ch ide ore _le was hin ur_ _at _lo om_ not ave ar_ _fi"},
    {Language::german,
     "en_ er_ _de ich der ch_ ie_ ein sch nd_ _di die _un und in_ che _ei den _au _da ten ung _be cht ine _in "
     "gen te_ nde es_ _ge _zu _si ter eit ng_ it_ _wi _we ste ver hen _mi on_ _vo st_ ber nen ere ht_ das lic "
     "as_ ier _an ren ist _ve ne_ _ha _er mit ers auf and nge em_ ent men ach _se lle _ma _st ert nte end aus "
     "_al rei _so _me _sc zu_ bei ige uch _fü ben he_ ion wir ern sie rt_ sen re_ sic wei hre rde _is für ür_ "
     "sse von _im her ind ite len ner an_ _re um_ _ni de_ uf_ des ge_ abe run ell im_ _ko wer le_ nn_ ass ens "
     "all ese ges isc tio ger sta rte _na ei_ dem _pr est hr_ nic wie lan ing sei vor"},
    {Language::french,
     "es_ _de de_ _le le_ nt_ on_ re_ ent et_ _co ur_ les _la ion er_ _qu la_ ns_ ne_ _en _un our en_ que _et "
     "_pa tio _pr _po _à_ ce_ te_ us_ _ce ue_ _l_ men _in _au ant _so tre est it_ _ma con des ont res _no ati "
     "_d_ ons _se pou té_ _re is_ lle ous se_ une par pro _mo _vo eur son _su ans rs_ ait _dé _es me_ un_ ien "
     "_av dan ts_ _da _di com _sa eme il_ ui_ _a_ sse qui du_ in_ ire ux_ _du iqu tes nte _pe st_ au_ nce _fa "
     "as_ ess tou ais sur _ét int ter _ch ez_ pas ser _il _tr ssi tte ar_ _pl anc ntr _vi mai _on aut mme _to "
     "ell ir_ ée_ _an _ca ran _ré che _al _ou nti out éri omm _do onn rai ut_ vou ett"},
    {Language::spanish,
     "_de de_ os_ el_ as_ _la es_ la_ _co _el ue_ que en_ _qu _en ent do_ _es est ra_ _pa _se _a_ nte _po con "
     "ado _un te_ _pr to_ al_ _re _y_ ón_ or_ ar_ ión par _lo sta res los _ha ara aci ció on_ _no _su na_ _ca "
     "ia_ se_ no_ por tra _in ta_ _ma del _al des men cia nci er_ las dos ida dad ion ien cio com _mu da_ io_ "
     "pre ro_ nto una un_ _me _pe ía_ ter _di den enc _si an_ ant ona pro ido per ada lo_ ten tar era ntr _te "
     "rec and ist re_ _mi ad_ les ica str _so rio tor art _pu ici mos ont nes nta _nu _vi ari ide one tos _ve "
     "ene eri nos _tr lic ndo _cu _do esi le_ ras ste mar car man min tro sti _ac ero"},
    {Language::portuguese,
     "_de de_ do_ _co as_ ão_ os_ ent _o_ _qu _a_ ar_ nte que _se da_ _e_ _po _do _pa em_ res com ado ra_ te_ "
     "ue_ es_ _re to_ ou_ _pr con ro_ ara _ma ção par _es est _da al_ pre om_ er_ _em _um ant ia_ men ont _fo "
     "por _in _no ele _en se_ açã or_ ess _di ada eir nto ntr and ica ma_ _pe das ta_ na_ _ca _na nta qui sta "
     "ida ona is_ tra so_ tro uma _te tad _el cia tar _ap ca_ ran _ou la_ re_ _mi _nã io_ nda não _an ais co_ "
     "ela ist _as _os _tr am_ dad der dos int ion ndo ode ort pro _é_ car ira mai no_ sen sso tam era ito _ao "
     "_me ach esp ide rec ser sti são _ex ade che cio den eu_ gra pod rio rta tem _at"},
    {Language::italian,
     "_di to_ di_ _de _co no_ re_ la_ _in ent ell te_ con ti_ ion le_ ne_ del _un li_ _e_ il_ _il zio ta_ nte "
     "_ne per che he_ ni_ _ha azi lla za_ ato in_ men sta _al _a_ one _pe _so _la el_ est _st ri_ _pr _ri nel "
     "_ch na_ si_ io_ er_ are on_ _pa att oni _an ro_ ati ia_ tat ale ann ari ere _ca _ma gli tto un_ _si _da "
     "_no _qu ano ine ll_ _su ali ha_ ica ita _l_ ant nti so_ tar ter min nit tra ont ono tti _le _re eri pro "
     "una _es all lo_ tà_ _po nto _ga ra_ str ess gio ani co_ ist _se ame ata ggi ità nza par que _mo ito ort "
     "rat son _i_ _is aza cia gaz ili _è_ do_ enz era lle man ndo oli sti ett res _fe"},
    {Language::polish,
     "nie ie_ _po _pr _na _w_ ch_ _ni dzi rze _za prz ej_ na_ _do _wy owa ów_ wie _si _z_ rzy ego się sta ani "
     "ię_ ał_ eni go_ zie czy _i_ ia_ ny_ ych że_ _je _ro mie pod _wi nia _te ost _mi em_ ka_ ski zy_ _ma kie "
     "ne_ ym_ _cz _st acj iej str _ko _pa cze ji_ pol ki_ ran czn ier li_ _ja _re _że iem owi to_ _sp do_ wan "
     "_ty cji trz ak_ iec iel iał le_ pow awi cja cy_ tan _ta cie est oli _to _tr art ich lam za_ dni ied lic "
     "pra st_ tak ści ach gra odz roz ze_ ają ali ent ku_ nic pro zen _o_ ci_ jak spo _by _dz _kt mi_ szy _ob "
     "ecz ma_ nik _os je_ ją_ raw _in ien któ now rac ska tór _ch _pi any asz ce_ jes"},
}};

// By Zipf's law, the frequency of a sequence falls with its rank. Unlisted sequences are treated as having this rank.
constexpr double unlisted_rank = 600.0;
constexpr double first_ranks = 10.0;  // smooths the first ranks, whose order means little

using Bits = std::array<double, letter_profiles.size()>;

constexpr std::uint64_t followed_by(std::uint64_t sequence, char32_t letter) {
  constexpr unsigned letter_bits = 21;
  constexpr std::uint64_t three_letters = (std::uint64_t{1} << (3 * letter_bits)) - 1;
  return ((sequence << letter_bits) | letter) & three_letters;
}

const std::unordered_map<std::uint64_t, Bits>& sequence_table() {
  static const auto table = [] {
    std::unordered_map<std::uint64_t, Bits> made;
    for (std::size_t i = 0; i < letter_profiles.size(); ++i) {
      std::size_t rank = 0;
      std::uint64_t sequence = 0;
      const std::string_view all = letter_profiles.at(i).sequences;
      for (std::size_t at = 0; at <= all.size(); ++at) {
        if (at == all.size() || all[at] == ' ') {
          made[sequence].at(i) = std::log2(unlisted_rank / (static_cast<double>(rank++) + first_ranks));
          continue;
        }
        const CodePoint letter = decode_utf8(all, at);
        sequence = followed_by(sequence, letter.value);
        at += letter.length - 1;
      }
    }
    return made;
  }();
  return table;
}

Bits bits_of(std::string_view text) {
  Bits bits{};
  const auto add = [&bits](std::uint64_t sequence) {
    const auto known = sequence_table().find(sequence);
    if (known == sequence_table().end()) return;
    for (std::size_t i = 0; i < bits.size(); ++i) bits.at(i) += known->second.at(i);
  };
  for_each_word(text, [&add](const Word& word) {
    if (word.is_pair || word.has_digit) return;
    std::uint64_t sequence = U'_';
    std::size_t letters = 1;
    const std::string lower = parser::extract_letters(word.text);
    for (std::size_t at = 0; at < lower.size();) {
      const CodePoint letter = decode_utf8(lower, at);
      sequence = followed_by(sequence, letter.value);
      if (++letters >= 3) add(sequence);
      at += letter.length;
    }
    add(followed_by(sequence, U'_'));
  });
  return bits;
}

}  // namespace

std::optional<double> bits_against(Language language, std::string_view text) {
  const auto* profile = std::ranges::find(letter_profiles, language, &LetterProfile::language);
  if (profile == letter_profiles.end()) return std::nullopt;
  const Bits bits = bits_of(text);
  return *std::ranges::max_element(bits) - bits.at(static_cast<std::size_t>(profile - letter_profiles.begin()));
}

}  // namespace linkherd::crawler
