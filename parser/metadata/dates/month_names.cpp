// Tables of month names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
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

// The same in further languages: Icelandic, Latvian, Lithuanian, Estonian, Azerbaijani, Kazakh, Belarusian, Georgian,
// Armenian, Malay, Filipino, Swahili, Afrikaans, Galician, Basque, Irish, Welsh, Slovene; Urdu, Hebrew with "in",
// Tamil, Telugu, Malayalam, Kannada, Gujarati, Marathi, Punjabi, Maltese, and the abbreviations of Thai and Hindi.
constexpr std::array<std::string_view, 12> further_names{
    " janúar janvāris janvārī janvāra sausis yanvar қаңтар студзеня იანვარი იანვარს հունվարի հունվար enero januarie "
    "xaneiro urtarrila urtarrilaren urtarrilak eanáir ionawr januara јануари جنوری בינואר ஜனவரி జనవరి ജനുവരി ಜನವರಿ "
    "જાન્યુઆરી जानेवारी ਜਨਵਰੀ ม.ค जन eanáire jannar ",
    " febrúar februāris februārī februāra vasaris veebruar veebr fevral ақпан лютага თებერვალი თებერვალს փետրվարի "
    "փետրվար "
    "pebrero februarie febreiro otsaila otsailaren otsailak feabhra chwefror februara فروری בפברואר பிப்ரவரி ఫిబ్రవరి "
    "ഫെബ്രുവരി ಫೆಬ್ರವರಿ ફેબ્રુઆરી फेब्रुवारी ਫ਼ਰਵਰੀ ਫਰਵਰੀ ก.พ फर feabhraí frar ",
    " marts martā kovas märts mart наурыз сакавіка მარტი მარტს մարտի մարտ mac marso machi maret maart martxoa "
    "martxoaren "
    "martxoak márta mhárta mawrth marca مارچ במרץ במרס மார்ச் మార్చి മാർച്ച് ಮಾರ್ಚ್ માર્ચ ਮਾਰਚ มี.ค marzu ",
    " apríl aprīlis aprīlī aprīļa balandis aprel сәуір красавіка აპრილი აპრილს ապրիլի ապրիլ aprili abril apirila "
    "apirilaren "
    "apirilak aibreán ebrill aprila اپریل באפריל ஏப்ரல் ఏప్రిల్ ഏപ്രിൽ ಏಪ್ರಿಲ್ એપ્રિલ ਅਪ੍ਰੈਲ เม.ย aibreáin अप्रै ",
    " maí maijs maijā maija gegužė mai мамыр траўня მაისი მაისს մայիսի մայիս mayo maiatza maiatzaren maiatzak "
    "bealtaine "
    "bhealtaine maio مئی במאי மே మే മേയ് മെയ് ಮೇ મે मे ਮਈ พ.ค mejju ",
    " júní jūnijs jūnijā jūnija birželis iyun маусым чэрвеня ივნისი ივნისს հունիսի հունիս hunyo juni xuño ekaina "
    "ekainaren "
    "ekainak meitheamh mheitheamh mehefin junija جون ביוני ஜூன் జూన్ ജൂൺ ಜೂನ್ જૂન ਜੂਨ มิ.ย mheithimh meithimh ġunju ",
    " júlí jūlijs jūlijā jūlija liepa iyul шілде ліпеня ივლისი ივლისს հուլիսի հուլիս julai hulyo xullo uztaila "
    "uztailaren "
    "uztailak iúil gorffennaf julija جولائی ביולי ஜூலை జూలై జులై ജൂലൈ ജൂലായ് ಜುಲೈ જુલાઈ जुलै ਜੁਲਾਈ ก.ค iúl lulju जुल ",
    " ágúst augusts augustā augusta rugpjūtis avqust avgust тамыз жніўня აგვისტო აგვისტოს օգոստոսի օգոստոս ogos "
    "agustus "
    "agosti augustus abuztua abuztuaren abuztuak lúnasa awst avgusta اگست באוגוסט ஆகஸ்ட் ఆగస్టు ഓഗസ്റ്റ് ആഗസ്റ്റ് ಆಗಸ್ಟ್ "
    "ઑગસ્ટ ઓગસ્ટ ऑगस्ट ਅਗਸਤ ส.ค awwissu अग ",
    " september septembris septembrī septembra rugsėjis sentyabr қыркүйек верасня სექტემბერი სექტემბერს սեպտեմբերի "
    "սեպտեմբեր setyembre septemba setembro iraila irailaren irailak meán mheán medi ستمبر בספטמבר செப்டம்பர் సెప్టెంబర్ "
    "സെപ്റ്റംബർ ಸೆಪ್ಟೆಂಬರ್ સપ્ટેમ્બર सप्टेंबर ਸਤੰਬਰ ก.ย settembru सित ",
    " október oktobris oktobrī spalis oktyabr қазан кастрычніка ოქტომბერი ოქტომბერს հոկտեմբերի հոկտեմբեր oktubre "
    "oktoba "
    "outubro urria urriaren urriak deireadh dheireadh hydref اکتوبر באוקטובר அக்டோபர் అక్టోబర్ ഒക്ടോബർ ಅಕ್ಟೋಬರ್ ઑક્ટોબર "
    "ઓક્ટોબર ऑक्टोबर ਅਕਤੂਬਰ ต.ค ottubru अक्टू ",
    " nóvember novembris novembrī lapkritis noyabr қараша лістапада ნოემბერი ნოემბერს նոյեմբերի նոյեմբեր nobyembre "
    "novemba "
    "azaroa azaroaren azaroak samhain shamhain tachwedd نومبر בנובמבר நவம்பர் నవంబర్ നവംബർ ನವೆಂಬರ್ નવેમ્બર नोव्हेंबर ਨਵੰਬਰ "
    "พ.ย samhna novembru नव ",
    " desember decembris decembrī gruodis dekabr желтоқсан снежня დეკემბერი დეკემბერს դեկտեմբերի դեկտեմբեր disyembre "
    "disember "
    "desemba decembro abendua abenduaren abenduak nollaig rhagfyr دسمبر בדצמבר டிசம்பர் డిసెంబర్ ഡിസംബർ ಡಿಸೆಂಬರ್ ડિસેમ્બર "
    "डिसेंबर ਦਸੰਬਰ ธ.ค nollag diċembru दिस "};

// The same in Sinhala, Khmer, Lao, Burmese, Amharic, Zulu, Hausa, Somali, Esperanto and Kurdish.
constexpr std::array<std::string_view, 12> rare_names{
    " ජනවාරි មករា ມັງກອນ ဇန်နဝါရီ ጃንዋሪ ጃንዩወሪ januwari janairu janaayo januaro rêbendan çile ",
    " පෙබරවාරි កុម្ភៈ ກຸມພາ ဖေဖော်ဝါရီ ፌብሩወሪ februwari fabrairu febraayo februaro reşemî sibat ",
    " මාර්තු មីនា ມີນາ မတ် ማርች mashi maris maarso marto adar ",
    " មេសា ເມສາ ဧပြီ ኤፕሪል ephreli afrilu abriil aprilo nîsan avrêl ",
    " මැයි ឧសភា ພຶດສະພາ မေ ሜይ meyi mayu maajo majo gulan μαΐ ",
    " ජූනි មិថុនា ມິຖຸນາ ဇွန် ጁን yuni juun junio hezîran pûşper ",
    " ජූලි កក្កដា ກໍລະກົດ ဇူလိုင် ጁላይ julayi yuli luuliyo julio tîrmeh ",
    " අගෝස්තු សីហា ສິງຫາ ဩဂုတ် ኦገስት agasti agusta agoosto aŭgusto tebax gelawêj ",
    " සැප්තැම්බර් កញ្ញា ກັນຍາ စက်တင်ဘာ ሴፕቴምበር septhemba satumba sebtembar septembro îlon rezber ",
    " ඔක්තෝබර් តុលា ຕຸລາ အောက်တိုဘာ ኦክቶበር okthoba oktoobar oktobro cotmeh ",
    " නොවැම්බර් វិច្ឆិកា ພະຈິກ နိုဝင်ဘာ ኖቬምበር nuwamba nofembar novembro mijdar sermawez ",
    " දෙසැම්බර් ធ្នូ ທັນວາ ဒီဇင်ဘာ ዲሴምበር disemba disamba diseembar berfanbar "};

// The months of the Persian calendar, which begins in March, in Persian and Dari.
constexpr std::array<std::string_view, 12> persian_names{" فروردین فروردين حمل ",
                                                         " اردیبهشت ارديبهشت ثور ",
                                                         " خرداد جوزا ",
                                                         " تیر تير سرطان ",
                                                         " مرداد امرداد اسد ",
                                                         " شهریور شهريور سنبله ",
                                                         " مهر میزان ",
                                                         " آبان عقرب ",
                                                         " آذر قوس ",
                                                         " دی دي جدی ",
                                                         " بهمن دلو ",
                                                         " اسفند حوت "};

using MonthTable = std::unordered_map<std::string_view, int>;

using MonthNames = std::array<std::string_view, 12>;

MonthTable make_table(std::initializer_list<const MonthNames*> lists) {
  MonthTable table;
  for (const MonthNames* list : lists) {
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
  static const MonthTable table = make_table({&names, &eastern_names, &further_names, &rare_names});
  const auto found = table.find(word);
  return found == table.end() ? 0 : found->second;
}

int persian_month_by_name(std::string_view word) {
  static const MonthTable table = make_table({&persian_names});
  const auto found = table.find(word);
  return found == table.end() ? 0 : found->second;
}

int vietnamese_month_by_name(std::string_view word, std::string_view next) {
  static constexpr std::array<std::string_view, 10> numbers{"một", "hai", "ba",  "tư",   "năm",
                                                            "sáu", "bảy", "tám", "chín", "mười"};
  if (word == "giêng") return 1;
  if (word == "chạp") return 12;
  if (word == "mười" && (next == "một" || next == "hai")) return next == "một" ? 11 : 12;
  const auto found = std::ranges::find(numbers, word);
  return found == numbers.end() ? 0 : static_cast<int>(found - numbers.begin()) + 1;
}

}  // namespace linkherd::parser
