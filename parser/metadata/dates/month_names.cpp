// Tables of month names.
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "parser/metadata/dates/dates.h"

namespace linkherd::parser {
namespace {

// Names of each month in lower case, delimited by spaces. Has nominatives, genitives and abbreviations in English,
// German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Finnish, Polish, Czech, Slovak, Hungarian,
// Romanian, Turkish, Indonesian, Albanian, Greek, Russian, Ukrainian, Bulgarian and Serbian. Omits names that mean
// different months in two languages.
constexpr std::array<std::string_view, 12> names{
    " january jan januar januari janvier janv jänner jän enero ene janeiro gennaio gen genn tammikuu tammikuuta tammi"
    " stycznia styczeń sty ledna leden led januára január január jan ianuarie ian ocak oca janar ιανουαρίου ιανουάριος "
    "ιαν"
    " января январь янв січня січень січ януари јануар јануара siječnja siječanj gener januarja sausio jaanuar ",
    " february feb febr februar februari februarie février fevrier févr fevr fév febrero fevereiro fev febbraio febb"
    " helmikuu helmikuuta helmi lutego luty lut února unora únor úno februára február şubat subat şub shkurt"
    " φεβρουαρίου φεβρουάριος φεβ февраля февраль фев февр лютого лютий лют февруари фебруар veljače veljača febrer "
    "vasario ",
    " march mar mars märz maerz mär mrz maart mrt marzo março marco marts maaliskuu maaliskuuta maalis marca marzec "
    "března"
    " březen bře března března březen marec március márc marcius martie mart μαρτίου μάρτιος μαρ марта март мар"
    " березня березень бер ожујка ožujka ožujak març kovo märts maret ",
    " april apr avril avr abril abr aprile huhtikuu huhtikuuta huhti kwietnia kwiecień kwi dubna duben dub apríla apríl"
    " április aprilis ápr aprilie nisan nis prill απριλίου απρίλιος απρ апреля апрель апр квітня квітень кві квіт април"
    " travnja travanj balandžio aprill ",
    " may mai mayo maio maggio magg mag mei maj toukokuu toukokuuta touko maja května květen kvě mája máj május"
    " máj mayıs mayis μαΐου μαίου μάιος μαϊ мая май травня травень трав тра мај maig gegužės svibnja svibanj ",
    " june jun juni juin junio junho giugno giu giug kesäkuu kesäkuuta kesä czerwca czerwiec cze června červen čvn "
    "júna jún"
    " június junius jún iunie iun haziran haz qershor ιουνίου ιούνιος ιουν июня июнь июн червня червень чер черв юни "
    "јун"
    " јуна lipnja lipanj juny birželio juuni ",
    " july jul juli juillet juil julio julho luglio lug lugl heinäkuu heinäkuuta heinä lipca lipiec lip července "
    "červenec"
    " čvc júla júl július julius iulie iul temmuz tem korrik ιουλίου ιούλιος ιουλ июля июль июл липня липень лип юли "
    "јул"
    " јула srpnja srpanj juliol liepos juuli ",
    " august aug août aout agosto ago agos augustus augusti elokuu elokuuta elo sierpnia sierpień sie srpna srpen srp"
    " augusta augusztus ağustos agustos ağu gusht αυγούστου αύγουστος αυγ августа август авг серпня серпень сер серп"
    " agost rugpjūčio kolovoza kolovoz avgust avgusta август августа agt ags ",
    " september sep sept septembre septiembre setiembre setembro set settembre sett syyskuu syyskuuta syys września"
    " wrzesień wrz září zaří zář septembra szeptember szept septembrie eylül eylul eyl shtator σεπτεμβρίου σεπτέμβριος "
    "σεπ"
    " сентября сентябрь сен сент вересня вересень вер септември септембар септембра rujna rujan setembre rugsėjo ",
    " october oct okt oktober octobre octubre outubro out ottobre ott lokakuu lokakuuta loka października październik "
    "paź"
    " října říjen říj októbra október octombrie ekim eki tetor οκτωβρίου οκτώβριος οκτ октября октябрь окт жовтня "
    "жовтень"
    " жов жовт октомври октобар октобра oktoober spalio oktobra oktobar ",
    " november nov novembre noviembre novembro marraskuu marraskuuta marras listopadu novembra noviembre noiembrie "
    "kasım"
    " kasim kas nëntor nentor νοεμβρίου νοέμβριος νοε ноября ноябрь ноя нояб листопада ноември новембар новембра"
    " studenog studenoga studeni lapkričio listopada ",
    " december dec dez dezember decembre décembre déc diciembre dic dezembro dicembre desember des joulukuu joulukuuta"
    " joulu grudnia grudzień gru prosince prosinec decembra decembrie aralık aralik ara dhjetor δεκεμβρίου δεκέμβριος"
    " δεκ декабря декабрь дек грудня грудень груд гру декември децембар децембра prosinca prosinac desembre gruodžio"
    " detsember ",
};

// The same in Arabic, Hebrew, Hindi, Bengali, Persian and Thai.
constexpr std::array<std::string_view, 12> eastern_names{
    " يناير كانون جانفي ינואר जनवरी জানুয়ারি জানুয়ারী ژانویه มกราคม januaro gener ",
    " فبراير شباط فيفري פברואר फ़रवरी फरवरी ফেব্রুয়ারি ফেব্রুয়ারী فوریه กุมภาพันธ์ ",
    " مارس آذار מרץ मार्च মার্চ มีนาคม ",
    " أبريل ابريل إبريل نيسان أفريل אפריל अप्रैल এপ্রিল آوریل เมษายน ",
    " مايو أيار ماي מאי मई মে مه พฤษภาคม ",
    " يونيو حزيران جوان יוני जून জুন ژوئن มิถุนายน ",
    " يوليو تموز جويلية יולי जुलाई জুলাই ژوئیه กรกฎาคม ",
    " أغسطس اغسطس آب أوت אוגוסט अगस्त আগস্ট اوت สิงหาคม ",
    " سبتمبر أيلول ספטמבר सितंबर सितम्बर সেপ্টেম্বর سپتامبر กันยายน ",
    " أكتوبر اكتوبر אוקטובר अक्टूबर अक्तूबर অক্টোবর اکتبر ตุลาคม ",
    " نوفمبر נובמבר नवंबर नवम्बर নভেম্বর نوامبر พฤศจิกายน ",
    " ديسمبر דצמבר दिसंबर दिसम्बर ডিসেম্বর دسامبر ธันวาคม "};

using MonthTable = std::unordered_map<std::string_view, int>;

MonthTable make_table() {
  MonthTable table;
  for (const auto* list : {&names, &eastern_names}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      for (std::string_view rest = (*list)[i]; rest.size() > 1;) {
        const std::size_t end = rest.find(' ', 1);
        table.emplace(rest.substr(1, end - 1), static_cast<int>(i) + 1);
        rest.remove_prefix(end);
      }
    }
  }
  return table;
}

}  // namespace

int month_by_name(std::string_view word) {
  static const MonthTable table = make_table();
  const auto found = table.find(word);
  return found == table.end() ? 0 : found->second;
}

}  // namespace linkherd::parser
