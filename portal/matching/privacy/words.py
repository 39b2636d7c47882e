"""Word lists of what a resume says about a person, spelt as in resumes; a list needs not be complete to be of use.

They hold what no pattern tells: countries, large cities, schools and employers called by a name alone, gendered "
    "words.
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


_PLACES = (
    "Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahamas|Bahrain|"
    "Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia and Herzegovina|Bosnia|Botswana|Brazil|"
    "Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Cape Verde|Central African Republic|Chile|China|"
    "P.R. China|P. R. China|PR China|P.R.C.|PRC|Colombia|Comoros|Congo|DR Congo|Costa Rica|Croatia|Cuba|Cyprus|"
    "Czech Republic|Czechia|Côte d'Ivoire|Côte d’Ivoire|Ivory Coast|Denmark|Djibouti|Dominican Republic|Dominica|"
    "Ecuador|Egypt|El Salvador|Eritrea|Estonia|Eswatini|Ethiopia|Fiji|Finland|France|Gabon|Gambia|Georgia|Germany|"
    "Deutschland|Ghana|Greece|Grenada|Guatemala|Guinea|Guinea-Bissau|Guyana|Haiti|Honduras|Hong Kong|Hungary|Iceland|"
    "India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Italia|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kiribati|Korea|"
    "South Korea|North Korea|Republic of Korea|Kosovo|Kuwait|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho|Liberia|Libya|"
    "Liechtenstein|Lithuania|Luxembourg|Macau|Macao|Madagascar|Malawi|Malaysia|Maldives|Mali|Malta|Mauritania|"
    "Mauritius|Mexico|México|Micronesia|Moldova|Monaco|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nauru|"
    "Nepal|Netherlands|Nederland|New Zealand|Nicaragua|Niger|Nigeria|North Macedonia|Macedonia|Norway|Oman|Pakistan|"
    "Palau|Palestine|Panama|Papua New Guinea|Paraguay|Peru|Perú|Philippines|Poland|Polska|Portugal|Puerto Rico|Qatar|"
    "Romania|Russia|Russian Federation|Rwanda|Samoa|San Marino|Saudi Arabia|Senegal|Serbia|Seychelles|Sierra Leone|"
    "Singapore|Slovakia|Slovenia|Solomon Islands|Somalia|South Africa|South Sudan|Spain|España|Sri Lanka|Sudan|"
    "Suriname|Sweden|Switzerland|Schweiz|Suisse|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Timor-Leste|Togo|Tonga|"
    "Trinidad and Tobago|Trinidad|Tunisia|Turkey|Türkiye|Turkmenistan|Tuvalu|Uganda|Ukraine|United Arab Emirates|UAE|"
    "U.A.E.|United Kingdom|UK|U.K.|Great Britain|England|Scotland|Wales|Northern Ireland|United States|"
    "United States of America|USA|U.S.A.|U.S.|Uruguay|Uzbekistan|Vanuatu|Vatican|Venezuela|Vietnam|Viet Nam|Yemen|"
    "Zambia|Zimbabwe|Brasil|Россия|Україна|Afghan|African|Albanian|Algerian|American|Angolan|Arab|Argentine|"
    "Argentinian|Armenian|Asian|Australian|Austrian|Azerbaijani|Bahraini|Bangladeshi|Belarusian|Belgian|Beninese|"
    "Bhutanese|Bolivian|Bosnian|Brazilian|British|Bulgarian|Burmese|Burundian|Cambodian|Cameroonian|Canadian|Chilean|"
    "Chinese|Colombian|Congolese|Costa Rican|Croatian|Cuban|Cypriot|Czech|Danish|Dominican|Dutch|Ecuadorian|Egyptian|"
    "Emirati|English citizen|Eritrean|Estonian|Ethiopian|European|Fijian|Filipina|Filipino|Finnish|French|Gabonese|"
    "Gambian|German|Ghanaian|Greek|Guatemalan|Guinean|Haitian|Honduran|Hongkonger|Hungarian|Icelandic|Indian|"
    "Indonesian|Iranian|Iraqi|Irish|Israeli|Italian|Ivorian|Jamaican|Japanese|Jordanian|Kazakh|Kazakhstani|Kenyan|"
    "Korean|Kosovar|Kurdish|Kuwaiti|Kyrgyz|Laotian|Latvian|Lebanese|Liberian|Libyan|Lithuanian|Luxembourgish|"
    "Macedonian|Malagasy|Malawian|Malaysian|Maldivian|Malian|Maltese|Mauritian|Mexican|Moldovan|Mongolian|"
    "Montenegrin|Moroccan|Mozambican|Namibian|Nepalese|Nepali|New Zealander|Nicaraguan|Nigerian|Norwegian|Omani|"
    "Pakistani|Palestinian|Panamanian|Paraguayan|Persian|Peruvian|Polish|Portuguese|Qatari|Romanian|Russian|Rwandan|"
    "Salvadoran|Saudi|Scottish|Senegalese|Serbian|Singaporean|Slovak|Slovenian|Somali|South African|Spanish|"
    "Sri Lankan|Sudanese|Swedish|Swiss|Syrian|Taiwanese|Tajik|Tanzanian|Thai|Tibetan|Togolese|Tunisian|Turkish|"
    "Turkmen|Ugandan|Ukrainian|Uruguayan|Uzbek|Venezuelan|Vietnamese|Welsh|Yemeni|Zambian|Zimbabwean|Bay Area|"
    "Silicon Valley|Research Triangle Park|Research Triangle|Bombay|Calcutta|Champaign|Chapel Hill|Kharagpur|Madras|"
    "Aleppo|Anatolia|Appalachia|Asmara|Bamako|Bavaria|Bihar|Hà Nội|Kano|Kashgar|Kerala|La Paz|Lhasa|Mogadishu|"
    "New England|Paramaribo|Port Moresby|Port-au-Prince|Suva|Ürümqi|Urumqi|Việt Nam|Aachen|Aarhus|Abidjan|Abu Dhabi|"
    "Abuja|Accra|Addis Ababa|Adelaide|Ahmedabad|Alexandria|Algiers|Almaty|Amman|Amsterdam|Ankara|Ann Arbor|Antwerp|"
    "Athens|Atlanta|Auckland|Austin|Baghdad|Baku|Baltimore|Bangalore|Bangkok|Barcelona|Basel|Beijing|Beirut|Belfast|"
    "Belgrade|Bellevue|Bengaluru|Bergen|Berlin|Bern|Bilbao|Birmingham|Bogota|Bogotá|Bologna|Bonn|Bordeaux|Boston|"
    "Brasília|Bratislava|Bremen|Brisbane|Bristol|Brno|Brussels|Bucharest|Budapest|Buenos Aires|Busan|Cairo|Calgary|"
    "California|Canberra|Cape Town|Caracas|Casablanca|Changchun|Changsha|Chengdu|Chennai|Chicago|Chongqing|"
    "Christchurch|Cleveland|Cluj|Coimbra|Cologne|Köln|Colombo|Colorado|Columbus|Connecticut|Copenhagen|Cupertino|"
    "Curitiba|Cusco|Daejeon|Daegu|Dakar|Dalian|Dallas|Damascus|Darmstadt|Delft|Delhi|New Delhi|Denver|Detroit|Dhaka|"
    "Dortmund|Dresden|Dubai|Dublin|Durban|Durham|Düsseldorf|Edinburgh|Eindhoven|Erlangen|Essen|Florence|Florida|"
    "Fortaleza|Frankfurt|Freiburg|Fukuoka|Fuzhou|Gainesville|Galway|Gdańsk|Geneva|Genoa|Ghent|Glasgow|Gothenburg|"
    "Göteborg|Grenoble|Groningen|Guadalajara|Guangdong|Guangzhou|Guiyang|Gwangju|Göttingen|Haifa|Haikou|Hamburg|"
    "Hangzhou|Hannover|Hanoi|Harare|Harbin|Havana|Hefei|Heidelberg|Helsinki|Ho Chi Minh City|Hohhot|Houston|Hsinchu|"
    "Hyderabad|Ibadan|Illinois|Indiana|Indianapolis|Innsbruck|Islamabad|Istanbul|Ithaca|Izmir|Jakarta|Jena|Jerusalem|"
    "Jiangsu|Jinan|Johannesburg|Kabul|Kampala|Kanpur|Kansas|Karachi|Karlsruhe|Kathmandu|Kazan|Kharkiv|Khartoum|Kiel|"
    "Kigali|Kinshasa|Kolkata|Konstanz|Kraków|Krakow|Kuala Lumpur|Kumasi|Kunming|Kyiv|Kyoto|København|Lagos|Lahore|"
    "Lanzhou|Las Vegas|Lausanne|Leeds|Leiden|Leipzig|Leuven|Lille|Lima|Linköping|Linz|Lisbon|Lisboa|Liverpool|"
    "Ljubljana|London|Los Angeles|Lucknow|Lund|Luxemburg|Lviv|Lyon|Maastricht|Madison|Madrid|Mainz|Malmö|Manchester|"
    "Mandalay|Manila|Mannheim|Maryland|Massachusetts|Medellín|Melbourne|Menlo Park|Mexico City|Miami|Michigan|Milan|"
    "Milano|Minneapolis|Minnesota|Minsk|Monterrey|Montevideo|Montpellier|Montreal|Montréal|Moscow|Mountain View|"
    "Mumbai|Munich|München|Münster|Nagoya|Nairobi|Nanchang|Nanjing|Nanning|Naples|Napoli|Nantes|Nashville|New Haven|"
    "New Jersey|New York|Newcastle|Ningbo|Nottingham|Novosibirsk|Nuremberg|Nürnberg|Odessa|Ohio|Oregon|Osaka|Oslo|"
    "Ottawa|Oulu|Padua|Padova|Palo Alto|Paris|Pasadena|Patna|Pennsylvania|Penang|Perth|Phnom Penh|Philadelphia|Pisa|"
    "Pittsburgh|Pohang|Porto|Porto Alegre|Portland|Potsdam|Poznań|Prague|Praha|Pretoria|Pune|Qingdao|Quebec|Québec|"
    "Quito|Rawalpindi|Recife|Redmond|Rennes|Reykjavik|Riga|Rio de Janeiro|Riyadh|Roma|Rome|Rotterdam|Sacramento|"
    "Saarbrücken|Salt Lake City|Salzburg|San Antonio|San Diego|San Francisco|San Jose|San José|San Juan|San Salvador|"
    "Santa Barbara|Santa Clara|Santa Cruz|Santiago|Santo Domingo|Sao Paulo|São Paulo|Sapporo|Sarajevo|Seattle|Sendai|"
    "Seoul|Seville|Sevilla|Shandong|Shanghai|Sheffield|Shenyang|Shenzhen|Shijiazhuang|Sofia|Southampton|St. Gallen|"
    "St. Louis|St. Petersburg|Saint Petersburg|Stanford, CA|Stockholm|Strasbourg|Stuttgart|Sunnyvale|Suzhou|Sydney|"
    "Taipei|Taiyuan|Tallinn|Tampa|Tampere|Tartu|Tashkent|Tbilisi|Tehran|Tel Aviv|Tempe|Texas|Thessaloniki|Tianjin|"
    "Tirana|Tokyo|Toronto|Toulouse|Trento|Trieste|Tripoli|Trondheim|Tsukuba|Tucson|Tunis|Turin|Torino|Turku|Tübingen|"
    "Ulm|Ulsan|Uppsala|Urbana|Utah|Utrecht|Valencia|Valparaíso|Vancouver|Venice|Vienna|Wien|Vilnius|Virginia|Warsaw|"
    "Warszawa|Washington|Washington, D.C.|Washington D.C.|Waterloo|Wellington|Winnipeg|Wisconsin|Wrocław|Wuhan|Wuxi|"
    "Xi'an|Xi’an|Xiamen|Yangon|Yekaterinburg|Yerevan|Yokohama|York|Zagreb|Zaragoza|Zhejiang|Zhengzhou|Zhuhai|Zurich|"
    "Zürich|Москва|Alabama|Alaska|Arizona|Arkansas|Hawaii|Idaho|Iowa|Kentucky|Louisiana|Maine|Mississippi|Missouri|"
    "Montana|Nebraska|Nevada|New Hampshire|New Mexico|North Carolina|North Dakota|Oklahoma|Rhode Island|"
    "South Carolina|South Dakota|Tennessee|Vermont|West Virginia|Wyoming|Ontario|Alberta|British Columbia|Manitoba|"
    "Saskatchewan|Nova Scotia|New South Wales|Queensland|Tasmania|Andhra Pradesh|Assam|Chhattisgarh|Gujarat|Haryana|"
    "Himachal Pradesh|Jharkhand|Karnataka|Madhya Pradesh|Maharashtra|Odisha|Punjab|Rajasthan|Tamil Nadu|Telangana|"
    "Uttar Pradesh|Uttarakhand|West Bengal|Anhui|Fujian|Gansu|Guangxi|Guizhou|Hainan|Hebei|Heilongjiang|Henan|Hubei|"
    "Hunan|Inner Mongolia|Jiangxi|Jilin|Liaoning|Ningxia|Qinghai|Shaanxi|Shanxi|Sichuan|Xinjiang|Tibet|Yunnan|"
    "Baden-Württemberg|Bayern|Hessen|Niedersachsen|Nordrhein-Westfalen|Sachsen|Thüringen|Lombardy|Tuscany|Catalonia|"
    "Andalusia|Brittany|Normandy|Provence"
)
PLACES = tuple(_PLACES.split("|"))
"""Countries, peoples, and cities of universities and large companies."""

_EAST_ASIAN_PLACES = (
    "中国 香港 澳门 台湾 美国 英国 德国 法国 日本 韩国 新加坡 马来西亚 越南 泰国 印尼 菲律宾 西班牙 意大利 义大利 "
    "荷兰 瑞士 瑞典 巴西 土耳其 伊朗 以色列 乌克兰 加拿大 澳大利亚 印度 俄罗斯 대한민국 "
    "한국 北京 上海 深圳 广州 杭州 南京 武汉 成都 西安 天津 重庆 苏州 合肥 长沙 哈尔滨 东京 大阪 京都 서울 부산 "
    "广东 江苏 浙江 山东 河南 湖北 湖南 四川 陕西 山西 河北 福建 安徽 江西 辽宁 吉林 "
    "黑龙江 云南 贵州 广西 海南 甘肃 内蒙古 新疆 宁夏 青海 西藏 青岛 大连 厦门 宁波 无锡 郑州 济南 沈阳 长春 昆明 "
    "贵阳 南宁 福州 南昌 太原 石家庄 兰州 乌鲁木齐 珠海 东莞 佛山 台北 新北 新竹 "
    "桃园 台中 台南 高雄 基隆 嘉义 花莲 屏东 彰化 宜兰 九龙 新界 横浜 名古屋 札幌 福冈 神戸 仙台 広岛 筑波 대전 "
    "대구 인천 광주 울산 수원 제주 汉族 回族 满族 藏族 壮族 维吾尔族 蒙古族 苗族 彝族 "
    "土家族 朝鲜族 中共党员 共青团员"
)
EAST_ASIAN_PLACES = tuple(_EAST_ASIAN_PLACES.split())
"""Written without spaces around them."""

_SCHOOLS = (
    "AGH|ANU|ASU|Amirkabir|BITS Pilani|BIT|BUAA|BUET|BUPT|BYU|Beihang|Beijing Jiaotong|Berkeley|Bilkent|Bocconi|"
    "Boğaziçi|Brown|CMU|CUHK|CUHK-Shenzhen|CUNY|CWI|Cal Poly|Caltech|Cambridge|Carnegie Mellon|CentraleSupélec|"
    "CentraleSupelec|Chalmers|Chinese Academy of Sciences|CityU|Columbia|Cooper Union|Cornell|Cornell Tech|DTU|"
    "Dartmouth|Duke|ECNU|ENSAE|ENSTA|EPFL|ESSEC|ETH Zurich|ETH Zürich|ETHZ|ETH|EURECOM|Emory|FPT University|Fudan|"
    "GWU|Georgia Tech|HIT|HITSZ|HKBU|HKU|HKUST|HKUST(GZ)|HKUST-GZ|HUST|HZAU|Harvard|Hong Kong Baptist|ICTP|IISc|"
    "IISER|IIIT|IIT|IIT Bombay|IIT Delhi|IIT Kanpur|IIT Kharagpur|IIT Madras|INRIA|Inria|INSA|INSEAD|ISTA|"
    "IST Austria|ITMO|Imperial|JHU|JNU|Jiaotong|Johns Hopkins|KAIST|KAUST|KIT|KNUST|KTH|KU Leuven|LMU|LSE|LUMS|"
    "MBZUAI|METU|MIPT|MIT|Max Planck|Max Planck Institute|École Polytechnique Fédérale|Ecole Polytechnique Federale|"
    "King Abdullah|King Saud|King Fahd|McGill|Mila|NCKU|NCSU|NJU|NJUPT|NKU|NTHU|NTNU|NTU|NUAA|NUDT|NUS|NUST|NWPU|"
    "NYCU|NYU|Northwestern|Notre Dame|OSU|Oxford|PKU|POSTECH|PUCRS|Peking|Penn State|PolyU|Princeton|Purdue|QUT|RUC|"
    "RWTH|RWTH Aachen|Rice|Rutgers|SCUT|SDU|SISSA|SJTU|SNU|SUNY|SUSTech|SUTD|SYSU|School of Computer Science|"
    "Sciences Po|Skoltech|Stanford|Stony Brook|THU|TIFR|TTIC|TU Berlin|TU Delft|TU Munich|TUM|Technion|Texas A&M|"
    "Tohoku|Tsinghua|Tufts|UBC|UC Berkeley|UCAS|UCB|UCD|UCL|UCLA|UCLouvain|UCSB|UCSC|UCSD|UCSF|UESTC|UFMG|UFRGS|UFRJ|"
    "UIUC|UMD|UMass|UMich|UNAM|UNILAG|UNIST|UNSW|UPM|UPenn|USC|USP|USTB|USTC|UT Austin|UTD|UTS|UVA|UW|UW-Madison|UZH|"
    "UofT|Unicamp|Vanderbilt|Virginia Tech|WHU|WPI|WUSTL|XDU|XJTU|XMU|Xidian|Yale|Yonsei|ZJU"
)
SCHOOLS = tuple(_SCHOOLS.split("|"))

_EMPLOYERS = (
    "Accenture|Adobe|Airbnb|Airbus|AISingapore|Alibaba|Amazon|AMD|Ant Financial|Ant Group|Anthropic|AstraZeneca|AT&T|"
    "Atlassian|Baidu|Barclays|Bell Labs|Bilibili|BlackRock|Bloomberg|BMW|Boeing|Booking.com|Bosch|ByteDance|"
    "Bytedance|Canva|Capgemini|Capital One|Cerebras|CERN|Cisco|Citadel|Cloudflare|CNRS|Cognizant|Coinbase|CSIRO|"
    "Databricks|Datadog|DeepMind|Dell|Deloitte|Deutsche Bank|Deutsche Telekom|DiDi|Didi|DoorDash|Dropbox|eBay|"
    "EMC Software|Ericsson|Expedia|Facebook|FedEx|Flipkart|Foxconn|Fraunhofer|Fujitsu|Goldman Sachs|Google|Graphcore|"
    "Groq|Hewlett Packard|Hitachi|Honeywell|HSBC|Huawei|HUAWEI|Hugging Face|Hyundai|IBM|iFlytek|Infosys|Intel|"
    "Jane Street|JD.com|JPMorgan|J.P. Morgan|Kakao|KPMG|Kuaishou|Lenovo|LG Electronics|LinkedIn|Lockheed Martin|Lyft|"
    "McKinsey|MediaTek|Megvii|Meituan|Mercado Libre|Mercedes-Benz|Micron|Microsoft|MiniMax|Mitsubishi|Moonshot AI|"
    "Morgan Stanley|MSRA|Naver|NAVER|NEC|NetEase|Netflix|Nokia|Novartis|Nvidia|NVIDIA|OpenAI|OPPO|Palantir|PayPal|"
    "Pfizer|Philips|Pinduoduo|Pinterest|PricewaterhouseCoopers|PwC|Qualcomm|Rakuten|RIKEN|Roblox|Roche|Salesforce|"
    "SambaNova|Samsung|SAP|SenseTime|Shopee|Shopify|Siemens|SK Hynix|SoftBank|Sony|SpaceX|Spotify|Tableau Software|"
    "Tata Consultancy|TCS|Tencent|Tesla|Thales|TikTok|Toshiba|Toyota|Trip.com|TSMC|Twitter|Uber|Unilever|"
    "Visa Research|VMware|Volkswagen|Walmart|Waymo|Weibo|Wipro|Xiaohongshu|Xiaomi|Yahoo|Yandex|Zalando|Zhihu|Zhipu|"
    "Zoom Inc|ZTE|Tata|NASA|VinAI|Яндекс"
)
EMPLOYERS = tuple(_EMPLOYERS.split("|"))

_EAST_ASIAN_EMPLOYERS = (
    "字节跳动 腾讯 阿里巴巴 百度 华为 美团 京东 快手 网易 小米 商汤 微软 谷歌 蚂蚁集团 科大讯飞 海康威视 大疆 滴滴 "
    "拼多多 寒武纪 旷视科技 地平线机器人 中兴通讯 比亚迪 宁德时代 中国移动 中国电信 联想 "
    "中芯国际 台积电 联发科 鸿海 富士康 华硕 宏碁 广达 瑞昱 联咏 英业达 中华电信 趋势科技 汇丰 네이버 카카오 "
    "삼성전자 현대자동차 쿠팡 ソニー トヨタ 楽天 日立制作所"
)
EAST_ASIAN_EMPLOYERS = tuple(_EAST_ASIAN_EMPLOYERS.split())

_ORDINARY_EMPLOYERS = (
    "AWS|Apple|Arm|Block|Box|Cohere|Figure|Gap|Grab|Line|LINE|Meta|Mistral AI|Mistral|Mozilla|NTT|Oracle|Orange|"
    "Scale AI|Shell|Slack|Snap|Snowflake|Square|Stripe|Target|Together AI|Two Sigma|Unity|Visa|DeepSeek|Oppo|Vivo|"
    "Adept|Character.AI|Perplexity|Agility Robotics|Allegro|Aurora|Canon|Cruise|Continental|Epic|Flex|Indra|Intercom|"
    "Leonardo|Lucid|Nuro|Ola|Peak|Ping An|Ramp|Saab|Skydio|Snapp|Sprint|Cathay Pacific|Chick-fil-A|Valve|Wise|Zoom"
)
ORDINARY_EMPLOYERS = tuple(_ORDINARY_EMPLOYERS.split("|"))
"""Ordinary or technical words as well: they go only where an employer stands."""

_LANGUAGES = (
    "Afrikaans|Amharic|Arabic|Bahasa|Bengali|Bangla|Cantonese|Catalan|Deutsch|English|Español|Farsi|Français|"
    "Gujarati|Hausa|Hebrew|Hindi|Igbo|Italiano|Javanese|Kannada|Khmer|Latin|Malay|Malayalam|Mandarin|Marathi|Pashto|"
    "Português|Punjabi|Putonghua|Sinhala|Swahili|Tagalog|Tamil|Telugu|Urdu|Uyghur|Wolof|Xhosa|Yoruba|Zulu|普通话|"
    "粤语|英语|"
    "英文|中文|国语|闽南语|台语|客家话|日语|日文|韩语|韩文|德语|德文|法语|法文|西班牙语|西班牙文|俄语|俄文"
)
LANGUAGES = tuple(_LANGUAGES.split("|"))

_MONTHS = (
    "January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul "
    "Aug Sep Sept Oct Nov Dec Januar Jänner Februar Feber März Mai Juni Juli Oktober Dezember Okt Dez Mär Mrz "
    "janvier février avril mai juin juillet août septembre octobre novembre décembre janv févr avr juil déc enero "
    "febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr ago dic "
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro fev gennaio febbraio aprile maggio "
    "giugno luglio settembre ottobre dicembre gen giu lug ott mag januari februari maart mei augustus stycznia "
    "lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia Ocak Şubat Mart Nisan "
    "Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık Maret Agustus Desember Januari Februari januar februar "
    "marts juni juli augusti augusztus október szeptember январь февраль март апрель май июнь июль август сентябрь "
    "октябрь ноябрь декабрь января февраля марта апреля мая июня июля августа сентября октября ноября декабря Julai "
    "Ogos"
)
MONTHS = tuple(_MONTHS.split())
"""Of many languages; months beside a year only."""

_GENDERED = (
    "he|she|him|her|hers|his|himself|herself|they|them|their|theirs|themself|themselves|male|female|man|woman|men|"
    "women|boy|boys|girl|girls|gender|husband|wife|mother|father|brother|sister|son|daughter|gentleman|lady|"
    "fraternity|sorority|nonbinary|transgender|chairman|chairwoman|salesman|saleswoman|spokesman|spokeswoman|waiter|"
    "waitress|actress|maternity|paternity|motherhood|fatherhood|gentlemen|ladies|fraternities|sororities|brotherhood|"
    "sisterhood|mothers|fathers|brothers|sisters|sons|daughters|husbands|wives|boyfriend|boyfriends|girlfriend|"
    "girlfriends|uncle|uncles|aunt|aunts|nephew|nephews|niece|nieces|grandfather|grandfathers|grandmother|"
    "grandmothers|grandson|grandsons|granddaughter|granddaughters|stepfather|stepmother|stepson|stepdaughter|"
    "stepbrother|stepsister|father-in-law|mother-in-law|brother-in-law|sister-in-law|son-in-law|daughter-in-law|"
    "widow|widows|widower|groom|bride|businessman|businesswoman|congressman|congresswoman|sportsman|sportswoman|"
    "policeman|policewoman|craftsman|craftswoman|alumnus|alumna|alumni|alumnae|eagle scout|eagle scouts|boy scout|"
    "boy scouts|girl scout|girl scouts|girl guide|girl guides|elle|elles|ella|ela|она|ona|née|maiden name|maiden|"
    "nom de jeune fille|mädchenname|geborene|de soltera|kızlık soyadı|z domu|урождённая|урожденная|девичья фамилия|"
    "родилась|студентка|аспирантка|выпускница|étudiante|doctorante|chercheuse|ingénieure|diplômée|lauréate|"
    "assistante|enseignante|ingeniera|licenciada|doctora|profesora|graduada|becaria|investigadora|egresada|"
    "engenheira|pesquisadora|professora|formada|laureata|dottoressa|ricercatrice|studentessa|dottoranda|absolwentka|"
    "studentka|doktorantka|mężatka|żonaty|żona|mąż|córka|córki|ehefrau|ehemann|tochter|töchter|söhne|épouse|esposa|"
    "esposo|casada|casado|verheiratet|ledig|geschieden|verwitwet|célibataire|divorciada|divorciado|nubile|celibe|"
    "grace hopper celebration|anita borg|soltera|soltero|figlia|figlio|hija|hijo|filha|filho|жена|муж|дочь|сестра|"
    "брат"
)
GENDERED = tuple(_GENDERED.split("|"))
# Of German, with the ending for women.
_TRADES = (
    "student doktorand ingenieur mitarbeiter entwickler informatiker forscher assistent tutor praktikant absolvent "
    "wissenschaftler stipendiat dozent schüler leiter gründer"
)
GENDERED += tuple(f"{trade}{ending}" for trade in _TRADES.split() for ending in ("in", "innen"))

# Labels, as parts of patterns.
LABELS_OF_GENDER = (
    "gender|sex|marital[ \\t]status|pronouns|geschlecht|familienstand|sexe|sexo|género|gênero|sesso|płeć|cinsiyet|пол"
    "|état[ \\t]civil|estado[ \\t]civil|stato[ \\t]civile|性别|婚姻状况|성별|结婚情况"
)
LABELS_OF_DATES = (
    "date[ \\t]of[ \\t]birth|born|birthday|age|dob|geburtsdatum|geboren[ \\t]am|alter|date[ \\t]de[ \\t]naissance|âge"
    "|né[ \\t]le|née[ \\t]le|fecha[ \\t]de[ \\t]nacimiento|edad|data[ \\t]de[ \\t]nascimento|idade"
    "|data[ \\t]di[ \\t]nascita"
    "|data[ \\t]urodzenia|doğum[ \\t]tarihi|дата[ \\t]рождения|出生年月|出生日期|年龄|生年月日|생년월일|나이"
)
LABELS_OF_PLACES = (
    "nationality|citizenship|place[ \\t]of[ \\t]birth|religion|ethnicity|race|caste|residence|hometown|place|"
    "birthplace"
    "|staatsangehörigkeit|nationalität|geburtsort|wohnort|nationalité|lieu[ \\t]de[ \\t]naissance|nacionalidad"
    "|nacionalidade|cittadinanza|nazionalità|obywatelstwo|uyruk|гражданство|籍贯|民族|国籍|户口|户籍|现居地"
    "|居住地|所在地|政治面貌|本籍|국적"
)
LABELS_OF_ADDRESSES = (
    "address|home[ \\t]address|permanent[ \\t]address|current[ \\t]address|present[ \\t]address|postal[ \\t]address"
    "|anschrift|adresse|dirección|endereço|indirizzo|住址|地址|通讯地址|现住所|住所|주소"
)

_TECHNICAL_AFTER = (
    "Alexa|Ampere|Analytica|Android|Athena|Autopilot|Azure|Blackwell|Bot|Cabinet|Cars|Chrome|Cirq|Clara|Cognitive|"
    "DGX|Drive|Dynamics|DynamoDB|Earth|Exynos|Flowers|Fusion|Galaxy|Gemma|Gemini|Grace|HANA|HoloLens|Hopper|Isaac|"
    "K80|Kinect|Knox|Llama|Maps|Mechanical Turk|MPI|Nanopore|NeMo|NX|Nsight|Omniverse|OpenVINO|Optane|P100|PM4|"
    "Prophet|Qiskit|ROCm|RealSense|Redshift|Scholar|SEAL|SIMD|T4|Tegra|Titan|Translate|Triton|Turing|VTune|Volta|"
    "Warp|Watson|WordNet|Xavier|architecture|attention|autocomplete|automaton|benchmark|benchmarks|bunny|calculus|"
    "cameras|canonical form|canyon|clustering|codes|coins|corpus|curve|curves|datasets|decomposition|distribution|"
    "dragon|elimination|encyclopedia|equation|equations|form|forms|grasping|gridworld|inequality|kernel|kernels|"
    "lemma|machine|machines|matrices|matrix|measure|metric|museum|nets|normal form|number|numerals|optimizer|"
    "phonetics|problem|process|processes|product|propagation|protocol|ratio|recurrence|road network|room|rule|rules|"
    "sampling|segments|sensors|sentences|sign language|sort|test|theorem|transform|units|vision model|voting|wells|"
    "A100|Ascend|Bedrock|BigQuery|CPU|CPUs|CUDA|Cloud|Colab|CoreNLP|DB|DPU|EC2|GPU|GPUs|GTX|Gym|H100|Inferentia|"
    "Jetson|Lambda|MKL|NPU|NPUs|OneAPI|Orin|Pay|Parser|RTX|Radeon|S3|SGX|SQL|SageMaker|Silicon|Snapdragon|TPU|TPUs|"
    "TensorRT|Tensor|Trainium|V100|Xeon|accelerators|algorithm|algorithms|auction|buffet|cards|chips|database|"
    "databases|dataset|housing|license|licence|License|method|notation|option|parser|postman|processors|remainder|"
    "restaurant|roll|schema|segmentation|text|tokenization|tournament|traffic sign|treebank|word"
)
TECHNICAL_AFTER = tuple(_TECHNICAL_AFTER.split("|"))
"""What follows the name of a company, school, city or people when a thing of the field is meant: Intel CPUs."""

_WORK = (
    "experience experiences employment work internship internships career positions jobs history berufserfahrung "
    "praktika werdegang expérience expériences professionnelle professionnelles stages emplois experiencia laboral "
    "profesional esperienza esperienze опыт работы 工作经历 工作经验 实习经历 实习经验 職歴 경력"
)
WORK = frozenset(_WORK.split())
"""Words of the headings of sections, in the languages that resumes are written in."""

_EDUCATION = (
    "education studies qualifications ausbildung studium bildung formation éducation études educación formación "
    "académica estudios educação istruzione formazione eğitim opleiding образование 教育背景 教育经历 学历 学歴 학력"
)
EDUCATION = frozenset(_EDUCATION.split())

_OTHERS = (
    "projects project publications papers skills awards honors honours languages references summary profile "
    "interests teaching certifications certificates courses coursework activities volunteering leadership objective "
    "about extras achievements patents talks hobbies tools technologies technical links contact theses kenntnisse "
    "projekte sprachen interessen compétences projets langues publicaciones proyectos habilidades idiomas competenze "
    "progetti lingue навыки проекты публикации 项目经历 技能 发表论文 获奖情况 研究兴趣 研究经历 自我评价 语言能力 "
    "个人信息 基本信息"
)
OTHERS = frozenset(_OTHERS.split())

_BESIDE = (
    "professional research academic relevant other selected key my and & industrial additional previous current "
    "full-time part-time und et y e i ve de background section personal open source independent side"
)
BESIDE = frozenset(_BESIDE.split())
"""Words of headings that do not tell which section it is."""

_ROLES = (
    "engineer developer programmer scientist analyst consultant researcher intern internship assistant associate "
    "trainee manager architect administrator specialist fellow officer technician director lead founder contractor "
    "freelancer apprentice student coordinator designer tester sre swe sde cto ceo postdoc ra praktikant "
    "praktikantin praktikum werkstudent werkstudentin entwickler entwicklerin softwareentwickler ingenieur "
    "mitarbeiter ingénieur ingénieure développeur développeuse stagiaire stage alternant chercheur ingeniero "
    "ingeniera desarrollador practicante becario investigador engenheiro estagiário sviluppatore tirocinante "
    "ingegnere"
)
ROLES = frozenset(_ROLES.split())

_DEGREES = (
    "bachelor bachelors bachelor's master masters master's degree diploma phd ph.d doctorate bsc b.sc msc m.sc bs "
    "b.s ms m.s ba b.a ma m.a beng b.eng meng m.eng btech b.tech mtech m.tech be b.e mba mphil certificate minor "
    "major exchange class abitur licence baccalauréat licenciatura bachillerato laurea magistrale graduação mestrado "
    "lisans"
)
DEGREES = frozenset(_DEGREES.split())
