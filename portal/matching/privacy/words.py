"""Word lists of what a resume says about a person, spelt as in resumes; a list needs not be complete to be of use.

They hold what no pattern tells: countries, large cities, schools and employers called by a name alone, gendered words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, longer ones first; by first letter, for that is found many times as fast."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]).replace(r"\ ", r"\s{1,3}"))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(endings)})" for first, endings in sorted(by_first.items()))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in " ".join(text.split()).split("|"))


def _spaced(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Countries, peoples, and cities of universities and large companies.
PLACES = _listed("""
Algeria|Argentina|Australia|Austria|Bangladesh|Belgium|Brazil|Canada|Chile|China|Colombia|Cuba|Czech Republic|Denmark|
Egypt|Eritrea|Ethiopia|Finland|France|Georgia|Germany|Deutschland|Ghana|Greece|Haiti|Hong Kong|Hungary|India|Indonesia|
Iran|Iraq|Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Korea|South Korea|North Korea|Lebanon|Macau|
Malaysia|
Mexico|Mongolia|Morocco|Myanmar|Nepal|Netherlands|New Zealand|Nigeria|Norway|Pakistan|Palestine|Papua New Guinea|Peru|
Philippines|Poland|Portugal|Puerto Rico|Romania|Russia|Saudi Arabia|Serbia|Singapore|Somalia|South Africa|Spain|España|
Sri Lanka|Sudan|Suriname|Sweden|Switzerland|Syria|Taiwan|Thailand|Tunisia|Turkey|Uganda|Ukraine|United Arab Emirates|
UAE|
United Kingdom|UK|England|Scotland|United States|USA|U.S.A.|U.S.|Venezuela|Vietnam|Zimbabwe|African|Algerian|American|
Arab|Asian|Australian|Austrian|Bangladeshi|Belgian|Brazilian|British|Canadian|Chinese|Czech|Danish|Dutch|Egyptian|
Eritrean|Ethiopian|European|Filipino|Finnish|French|German|Ghanaian|Greek|Haitian|Hungarian|Indian|Indonesian|Iranian|
Iraqi|Irish|Israeli|Italian|Japanese|Kenyan|Korean|Lebanese|Malaysian|Mexican|Nepalese|Nigerian|Norwegian|Pakistani|
Palestinian|Persian|Polish|Portuguese|Romanian|Russian|Saudi|Singaporean|Somali|Spanish|Swedish|Swiss|Syrian|Taiwanese|
Thai|Tunisian|Turkish|Ukrainian|Vietnamese|Bay Area|Silicon Valley|New England|Amsterdam|Austin|Bangalore|Beijing|
Berlin|
Boston|Cairo|California|Cape Town|Chicago|Delhi|Detroit|Dhaka|Dubai|Florida|Guangzhou|Hamburg|Hangzhou|Istanbul|
Kathmandu|Lagos|London|Los Angeles|Madrid|Manila|Massachusetts|Melbourne|Montreal|Moscow|Mountain View|Mumbai|Munich|
München|Nairobi|Nanjing|New Jersey|New York|Osaka|Palo Alto|Paris|Rome|San Diego|San Francisco|San Jose|Seattle|Seoul|
Shanghai|Shenzhen|Stockholm|Sydney|Taipei|Tehran|Tel Aviv|Texas|Tokyo|Toronto|Vancouver|Washington|Zurich|Zürich
""")
EAST_ASIAN_PLACES = _spaced("""
中国 香港 澳门 台湾 美国 英国 德国 法国 日本 韩国 新加坡 加拿大 印度 대한민국 한국 北京 上海 深圳 广州 杭州 南京 武汉
成都 西安 天津 重庆 东京 台北 서울 부산 汉族 回族 满族 藏族 中共党员 共青团员
""")
SCHOOLS = _listed("""
Beihang|Berkeley|Brown|CMU|CUHK|Caltech|Cambridge|Carnegie Mellon|Columbia|Cornell|Duke|EPFL|ETH Zurich|ETH Zürich|ETH|
Fudan|Georgia Tech|HKU|HKUST|Harvard|IISc|IIT|INRIA|Inria|Imperial|KAIST|KNUST|KTH|MIT|Max Planck|McGill|NTU|NUS|NYU|
Oxford|PKU|POSTECH|Peking|Penn State|Princeton|Purdue|RWTH|Rice|SJTU|SNU|Stanford|TUM|Technion|Tsinghua|UC Berkeley|UCL|
UCLA|UCSB|UCSD|UIUC|UNILAG|USTC|UT Austin|Yale|ZJU
""")
EMPLOYERS = _listed("""
Adobe|Alibaba|Amazon|AMD|Ant Group|Anthropic|Baidu|Bloomberg|Bosch|ByteDance|CERN|Cisco|Databricks|DeepMind|Deloitte|
Ericsson|Facebook|Fraunhofer|Goldman Sachs|Google|Huawei|Hugging Face|IBM|Infosys|Intel|Kuaishou|LinkedIn|Meituan|
Microsoft|Netflix|Nokia|Nvidia|NVIDIA|OpenAI|Qualcomm|Salesforce|Samsung|SAP|SenseTime|Siemens|Sony|TCS|Tencent|Tesla|
TikTok|Toyota|Twitter|Uber|VMware|Xiaomi|Yandex|Tata|NASA
""")
EAST_ASIAN_EMPLOYERS = _spaced("字节跳动 腾讯 阿里巴巴 百度 华为 美团 京东 微软 谷歌 네이버 카카오 삼성전자")
# Ordinary or technical words as well: they go only where an employer stands.
ORDINARY_EMPLOYERS = _listed("AWS|Apple|Arm|Line|Meta|Oracle|Scale AI|Snap|Square|Stripe|Together AI|Two Sigma|Zoom")
LANGUAGES = _listed("""
Arabic|Bengali|Cantonese|Deutsch|English|Español|Farsi|Français|Gujarati|Hebrew|Hindi|Italiano|Kannada|Latin|Malay|
Mandarin|Marathi|Português|Punjabi|Putonghua|Swahili|Tagalog|Tamil|Telugu|Urdu|Yoruba|普通话|粤语|英语|英文|中文|日语|
韩语|德语|法语|俄语
""")
# Of many languages; months beside a year only.
MONTHS = _spaced("""
January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep
Sept Oct Nov Dec Januar Februar März Mai Juni Juli Oktober Dezember Okt Dez Mär janvier février avril mai juin juillet
août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio
giugno luglio settembre ottobre dicembre январь февраль март апрель июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
""")
GENDERED = _listed("""
he|she|him|her|hers|his|himself|herself|they|them|their|theirs|themself|themselves|male|female|man|woman|men|women|boy|
boys|girl|girls|gender|husband|wife|husbands|wives|mother|father|mothers|fathers|brother|sister|brothers|sisters|son|
daughter|sons|daughters|gentleman|gentlemen|lady|ladies|fraternity|fraternities|sorority|sororities|brotherhood|
sisterhood|nonbinary|transgender|chairman|chairwoman|salesman|saleswoman|spokesman|spokeswoman|businessman|
businesswoman|congressman|congresswoman|sportsman|sportswoman|policeman|policewoman|craftsman|craftswoman|waiter|
waitress|actress|maternity|paternity|motherhood|fatherhood|boyfriend|boyfriends|girlfriend|girlfriends|uncle|aunt|
nephew|niece|grandfather|
grandmother|grandson|granddaughter|stepfather|stepmother|father-in-law|mother-in-law|brother-in-law|sister-in-law|widow|
widower|groom|bride|alumnus|alumna|alumni|alumnae|eagle scout|eagle scouts|boy scout|boy scouts|girl scout|girl scouts|
girl guide|girl guides|elle|ella|она|née|maiden name|geborene|verheiratet|ledig|casada|casado|soltera|soltero|
étudiante|doctorante|ingénieure|ingeniera|investigadora|pesquisadora|ricercatrice|dottoressa|doktorantka|студентка|
аспирантка|studentin|doktorandin|ingenieurin|informatikerin|mitarbeiterin|entwicklerin|forscherin|wissenschaftlerin
""")

# Labels, as parts of patterns.
LABELS_OF_GENDER = (
    "gender|sex|marital[ \\t]status|pronouns|geschlecht|familienstand|sexe|sexo|género|sesso|cinsiyet|пол"
    "|état[ \\t]civil|estado[ \\t]civil|性别|婚姻状况|성별"
)
LABELS_OF_DATES = (
    "date[ \\t]of[ \\t]birth|born|birthday|age|dob|geburtsdatum|geboren[ \\t]am|alter|date[ \\t]de[ \\t]naissance|âge"
    "|fecha[ \\t]de[ \\t]nacimiento|edad|data[ \\t]de[ \\t]nascimento|data[ \\t]di[ \\t]nascita|дата[ \\t]рождения"
    "|出生年月|出生日期|年龄|生年月日|생년월일|나이"
)
LABELS_OF_PLACES = (
    "nationality|citizenship|place[ \\t]of[ \\t]birth|religion|ethnicity|race|caste|residence|hometown|place|birthplace"
    "|staatsangehörigkeit|geburtsort|wohnort|nationalité|lieu[ \\t]de[ \\t]naissance|nacionalidad|cittadinanza"
    "|гражданство|籍贯|民族|国籍|户口|现居地|居住地|所在地|政治面貌|本籍|국적"
)
LABELS_OF_ADDRESSES = (
    "(?:(?:home|permanent|current|present|postal)[ \\t])?address|anschrift|adresse|dirección|endereço|indirizzo"
    "|住址|地址|通讯地址|现住所|住所|주소"
)
# What follows the name of a company, school, city or people when a thing of the field is meant: Intel CPUs.
TECHNICAL_AFTER = _listed("""
A100|Ascend|Azure|CPU|CPUs|CUDA|Cars|Cloud|Colab|CoreNLP|DB|Dynamics|EC2|GPU|GPUs|Gym|H100|HANA|Hopper|Lambda|
Mechanical Turk|NPU|NPUs|Qiskit|S3|SGX|SQL|Scholar|Silicon|TPU|TPUs|Tensor|Translate|V100|WordNet|Xeon|algorithm|
algorithms|architecture|attention|auction|benchmark|benchmarks|clustering|codes|corpus|curve|curves|database|databases|
dataset|datasets|decomposition|distribution|equation|equations|form|forms|housing|kernel|kernels|lemma|license|machine|
machines|matrices|matrix|method|metric|nets|normal form|notation|number|numbers|numerals|option|parser|problem|process|
processes|product|propagation|protocol|remainder|restaurant|roll|room|rule|rules|sampling|sign language|sort|test|text|
theorem|transform|treebank|voting|word
""")

# Words of the headings of sections and of entries, in the languages that resumes are written in.
WORK = _set("""
experience experiences employment work internship internships career positions jobs history berufserfahrung praktika
werdegang expérience expériences professionnelle stages experiencia laboral esperienza опыт работы 工作经历 工作经验
实习经历 職歴 경력
""")
EDUCATION = _set("""
education studies qualifications ausbildung studium bildung formation éducation études educación formación estudios
educação istruzione formazione образование 教育背景 教育经历 学历 学歴 학력
""")
OTHERS = _set("""
projects project publications papers skills awards honors honours languages references summary profile interests
teaching certifications certificates courses coursework activities volunteering leadership objective about extras
achievements patents talks hobbies tools technologies technical links contact theses kenntnisse projekte sprachen
compétences projets langues publicaciones proyectos idiomas навыки проекты 项目经历 技能 发表论文 获奖情况 研究经历
个人信息
""")
BESIDE = _set("""
professional research academic relevant other selected key my and & industrial additional previous current full-time
part-time und et y e de background section personal open source independent side
""")
ROLES = _set("""
engineer developer programmer scientist analyst consultant researcher intern internship assistant associate trainee
manager architect administrator specialist fellow officer technician director lead founder contractor freelancer
apprentice student coordinator designer tester sre swe sde cto ceo postdoc ra praktikant praktikantin praktikum
werkstudent werkstudentin entwickler entwicklerin ingenieur ingénieur développeur stagiaire stage chercheur ingeniero
desarrollador becario engenheiro sviluppatore tirocinante
""")
DEGREES = _set("""
bachelor bachelors bachelor's master masters master's degree diploma phd ph.d doctorate bsc b.sc msc m.sc bs b.s ms m.s
ba b.a ma m.a beng b.eng meng m.eng btech b.tech mtech m.tech be b.e mba mphil certificate minor major exchange class
abitur licence baccalauréat licenciatura laurea
""")
