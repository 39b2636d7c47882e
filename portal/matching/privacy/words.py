"""Word lists of the privacy filter. Spelt as in resumes; a list needs not be complete to be of use.

`ORDINARY_EMPLOYERS` are names that are ordinary or technical words as well: they go only where an employer stands.
"""

from __future__ import annotations

_MONTHS = (
    "January February March April May June July August September October November December Jan Feb Mar "
    "Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
MONTHS = tuple(_MONTHS.split())
# Of twelve languages; months beside a year only.
_MONTHS_ABROAD = (
    "Januar Jänner Februar Feber März Mai Juni Juli Oktober Dezember Okt Dez Mär Mrz "
    "janvier février avril mai juin juillet août septembre octobre novembre décembre janv févr avr juil déc "
    "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre "
    "ene abr ago dic janeiro fevereiro março maio junho julho setembro outubro novembro dezembro fev "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen giu lug ott mag "
    "januari februari maart mei augustus "
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień "
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "
    "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık "
    "Maret Agustus Desember Januari Februari "
    "januar februar marts maj juni juli augusti augusztus október szeptember "
    "leden únor březen duben květen červen červenec srpen září říjen prosinec "
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь "
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря "
    "січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень "
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня Julai Ogos "
    "Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος Οκτώβριος "
    "Νοέμβριος Δεκέμβριος يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"
)
MONTHS_ABROAD = tuple(dict.fromkeys(_MONTHS_ABROAD.split()))

_GENDERED = (
    "he she him her hers his himself herself they them their theirs themself themselves male female man woman "
    "men women boy boys "
    "girl girls gender husband wife mother father brother sister son daughter gentleman lady fraternity "
    "sorority nonbinary transgender chairman chairwoman salesman saleswoman spokesman spokeswoman waiter "
    "waitress actress maternity paternity motherhood fatherhood gentlemen ladies fraternities sororities brotherhood "
    "sisterhood mothers fathers brothers sisters sons daughters husbands wives boyfriend boyfriends girlfriend "
    "girlfriends uncle uncles aunt aunts nephew nephews niece nieces grandfather grandfathers grandmother grandmothers "
    "grandson grandsons granddaughter granddaughters stepfather stepmother stepson stepdaughter stepbrother stepsister "
    "father-in-law mother-in-law brother-in-law sister-in-law son-in-law daughter-in-law widow widows widower groom "
    "bride businessman businesswoman congressman congresswoman sportsman sportswoman policeman policewoman craftsman "
    "craftswoman alumnus alumna alumni alumnae"
)
_SCOUTS = "eagle scout|eagle scouts|boy scout|boy scouts|girl scout|girl scouts|girl guide|girl guides"
_ABROAD = (
    "elle|elles|ella|ela|она|ona|née|maiden name|maiden|nom de jeune fille|mädchenname|geborene|de soltera"
    "|kızlık soyadı|z domu|урождённая|урожденная|девичья фамилия|родилась|студентка|аспирантка|выпускница"
    "|étudiante|doctorante|chercheuse|ingénieure|diplômée|lauréate|assistante|enseignante|ingeniera|licenciada"
    "|doctora|profesora|graduada|becaria|investigadora|alumna|egresada|engenheira|pesquisadora|professora"
    "|formada|laureata|dottoressa|ricercatrice|studentessa|dottoranda|absolwentka|studentka|doktorantka|mężatka"
    "|żonaty|żona|mąż|córka|córki|ehefrau|ehemann|tochter|töchter|söhne|épouse|esposa|esposo|casada|casado"
    "|verheiratet|ledig|geschieden|verwitwet|célibataire|divorciada|divorciado|nubile|celibe"
    "|grace hopper celebration|anita borg|soltera|soltero|figlia|figlio|hija|hijo|filha|filho|жена|муж|дочь|сестра|брат"
)
_TRADES = (
    "student doktorand ingenieur mitarbeiter entwickler informatiker forscher assistent tutor praktikant absolvent "
    "wissenschaftler stipendiat professor dozent schüler mathematiker physiker chemiker biolog leiter gründer "
    "programmierer softwareentwickler werkstudent softwareingenieur preisträger gewinner autor kandidat bachelorand "
    "masterand trainer lehrer berater gutachter betreuer koordinator sprecher"
)
GENDERED = (
    *_GENDERED.split(),
    *_SCOUTS.split("|"),
    *_ABROAD.split("|"),
    *(f"{trade}{ending}" for trade in _TRADES.split() for ending in ("in", "innen")),
)

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
    "nationality|citizenship|place[ \\t]of[ \\t]birth|religion|ethnicity|race|caste|residence|hometown|place|birthplace"
    "|staatsangehörigkeit|nationalität|geburtsort|wohnort|nationalité|lieu[ \\t]de[ \\t]naissance|nacionalidad"
    "|nacionalidade|cittadinanza|nazionalità|obywatelstwo|uyruk|гражданство|籍贯|民族|国籍|户口|户籍|现居地"
    "|居住地|所在地|政治面貌|本籍|국적"
)
LABELS_OF_ADDRESSES = (
    "address|home[ \\t]address|permanent[ \\t]address|current[ \\t]address|present[ \\t]address|postal[ \\t]address"
    "|anschrift|adresse|dirección|endereço|indirizzo|住址|地址|通讯地址|现住所|住所|주소"
)

SCHOOLS = (
    "AGH", "ANU", "ASU", "Amirkabir", "BITS Pilani", "BIT", "BUAA", "BUET",
    "BUPT", "BYU", "Beihang", "Beijing Jiaotong", "Berkeley", "Bilkent", "Bocconi", "Boğaziçi", "Brown", "CMU",
    "CUHK", "CUHK-Shenzhen", "CUNY", "CWI", "Cal Poly", "Caltech", "Cambridge", "Carnegie Mellon", "CentraleSupélec",
    "CentraleSupelec", "Chalmers", "Chinese Academy of Sciences", "CityU", "Columbia", "Cooper Union", "Cornell",
    "Cornell Tech",
    "DTU", "Dartmouth", "Duke", "ECNU", "ENSAE", "ENSTA", "EPFL", "ESSEC", "ETH Zurich", "ETH Zürich", "ETHZ", "ETH",
    "EURECOM", "Emory", "FPT University", "Fudan", "GWU", "Georgia Tech", "HIT", "HITSZ", "HKBU", "HKU", "HKUST",
    "HKUST(GZ)", "HKUST-GZ", "HUST", "HZAU", "Harvard", "Hong Kong Baptist", "ICTP", "IISc", "IISER", "IIIT", "IIT",
    "IIT Bombay", "IIT Delhi", "IIT Kanpur", "IIT Kharagpur", "IIT Madras", "INRIA", "Inria", "INSA", "INSEAD",
    "ISTA", "IST Austria", "ITMO", "Imperial", "JHU", "JNU", "Jiaotong", "Johns Hopkins", "KAIST", "KAUST", "KIT",
    "KNUST", "KTH", "KU Leuven", "LMU", "LSE", "LUMS", "MBZUAI", "METU", "MIPT", "MIT", "Max Planck",
    "Max Planck Institute", "École Polytechnique Fédérale", "Ecole Polytechnique Federale", "King Abdullah",
    "King Saud", "King Fahd",
    "McGill", "Mila", "NCKU", "NCSU", "NJU", "NJUPT", "NKU", "NTHU", "NTNU", "NTU", "NUAA", "NUDT", "NUS", "NUST",
    "NWPU", "NYCU", "NYU", "Northwestern", "Notre Dame", "OSU", "Oxford", "PKU", "POSTECH", "PUCRS", "Peking",
    "Penn State", "PolyU", "Princeton", "Purdue", "QUT", "RUC", "RWTH", "RWTH Aachen", "Rice", "Rutgers", "SCUT",
    "SDU", "SISSA", "SJTU", "SNU", "SUNY", "SUSTech", "SUTD", "SYSU", "School of Computer Science", "Sciences Po",
    "Skoltech", "Stanford", "Stony Brook", "THU", "TIFR", "TTIC", "TU Berlin", "TU Delft", "TU Munich", "TUM",
    "Technion", "Texas A&M", "Tohoku", "Tsinghua", "Tufts", "UBC", "UC Berkeley", "UCAS", "UCB", "UCD", "UCL", "UCLA",
    "UCLouvain", "UCSB", "UCSC", "UCSD", "UCSF", "UESTC", "UFMG", "UFRGS", "UFRJ", "UIUC", "UMD", "UMass", "UMich",
    "UNAM", "UNILAG", "UNIST", "UNSW", "UPM", "UPenn", "USC", "USP", "USTB", "USTC", "UT Austin", "UTD", "UTS", "UVA",
    "UW", "UW-Madison", "UZH", "UofT", "Unicamp", "Vanderbilt", "Virginia Tech", "WHU", "WPI", "WUSTL", "XDU", "XJTU",
    "XMU", "Xidian", "Yale", "Yonsei", "ZJU",
)  # fmt: skip

EMPLOYERS = (
    "Accenture", "Adobe", "Airbnb", "Airbus", "AISingapore", "Alibaba", "Amazon", "AMD", "Ant Financial",
    "Ant Group", "Anthropic", "AstraZeneca", "AT&T", "Atlassian", "Baidu", "Barclays", "Bell Labs",
    "Bilibili", "BlackRock", "Bloomberg", "BMW", "Boeing", "Booking.com", "Bosch", "ByteDance", "Bytedance", "Canva",
    "Capgemini", "Capital One", "Cerebras", "CERN", "Cisco", "Citadel", "Cloudflare", "CNRS", "Cognizant",
    "Coinbase", "CSIRO", "Databricks", "Datadog", "DeepMind", "Dell", "Deloitte", "Deutsche Bank",
    "Deutsche Telekom", "DiDi", "Didi", "DoorDash", "Dropbox", "eBay", "EMC Software", "Ericsson", "Expedia",
    "Facebook", "FedEx", "Flipkart", "Foxconn", "Fraunhofer", "Fujitsu", "Goldman Sachs", "Google", "Graphcore",
    "Groq", "Hewlett Packard", "Hitachi", "Honeywell", "HSBC", "Huawei", "HUAWEI", "Hugging Face", "Hyundai", "IBM",
    "iFlytek", "Infosys", "Intel", "Jane Street", "JD.com", "JPMorgan", "J.P. Morgan", "Kakao", "KPMG", "Kuaishou",
    "Lenovo", "LG Electronics", "LinkedIn", "Lockheed Martin", "Lyft", "McKinsey", "MediaTek", "Megvii", "Meituan",
    "Mercado Libre", "Mercedes-Benz", "Micron", "Microsoft", "MiniMax", "Mitsubishi", "Moonshot AI",
    "Morgan Stanley", "MSRA", "Naver", "NAVER", "NEC", "NetEase", "Netflix", "Nokia", "Novartis", "Nvidia",
    "NVIDIA", "OpenAI", "OPPO", "Palantir", "PayPal", "Pfizer", "Philips", "Pinduoduo", "Pinterest",
    "PricewaterhouseCoopers", "PwC", "Qualcomm", "Rakuten", "RIKEN", "Roblox", "Roche", "Salesforce", "SambaNova",
    "Samsung", "SAP", "SenseTime", "Shopee", "Shopify", "Siemens", "SK Hynix", "SoftBank", "Sony", "SpaceX",
    "Spotify", "Tableau Software", "Tata Consultancy", "TCS", "Tencent", "Tesla", "Thales", "TikTok", "Toshiba",
    "Toyota", "Trip.com", "TSMC", "Twitter", "Uber", "Unilever", "Visa Research", "VMware", "Volkswagen", "Walmart",
    "Waymo", "Weibo", "Wipro", "Xiaohongshu", "Xiaomi", "Yahoo", "Yandex", "Zalando", "Zhihu", "Zhipu", "Zoom Inc",
    "ZTE", "Tata", "3M", "ABB", "ABInBev", "Abbott", "Agoda", "Airtel", "AkzoNobel", "Alcatel-Lucent", "Amdocs",
    "Amgen", "Andela", "Arbisoft", "ASELSAN", "ASML", "ASUS", "Autodesk", "BAE Systems", "Baker Hughes", "BASF",
    "Bayer", "BCG", "bKash", "BNP Paribas", "Bombardier", "Bridgewater Associates", "BYD", "Cadence Design Systems",
    "Cambricon", "Carl Zeiss", "Caterpillar", "CATL", "CD Projekt", "Cemex", "Chevron", "Cigna", "Cohesity",
    "Coupang", "Credit Suisse", "CrowdStrike", "Cruise LLC", "CVS Health", "Daikin", "Daimler", "Dassault Systèmes",
    "Dassault Systemes", "DBS Bank", "Denso", "Deutsche Bahn", "Digikala", "DJI", "DRDO", "Duolingo",
    "DXC Technology", "Ecopetrol", "Electronic Arts", "Eli Lilly", "Embraer", "EPAM", "EPAM Systems",
    "Ernst & Young", "Ethio Telecom", "Exxon Mobil", "ExxonMobil", "EY", "FPT Software", "Freshworks", "Garmin",
    "General Electric", "General Motors", "Genentech", "GlaxoSmithKline", "Globant", "Gojek", "GoTo Group",
    "Grameenphone", "Grammarly", "Grupo Bimbo", "GSK", "HCL", "HCL Technologies", "HCLTech", "Hikvision", "Hisense",
    "Hitachi Energy", "Horizon Robotics", "Hubtel", "ICICI Bank", "Iflytek", "IIT Genova", "Infineon", "Inspur",
    "Interswitch", "Intuit", "iRobot", "ISRO", "ITRI", "Johnson & Johnson", "Johnson Controls", "JPL",
    "Juniper Networks", "Kaspersky", "Kroger", "L&T", "Larsen & Toubro", "LG AI Research", "Lucid Motors",
    "Mahindra", "Marvell", "Mastercard", "Medtronic", "Merck", "MITRE", "Mobileye", "MongoDB Inc", "Motorola", "MTN",
    "Mu Sigma", "NASA", "NAVER LABS", "Nestlé", "Nestle", "NIO Inc", "Nissan", "NXP", "Ocado", "Ola Cabs",
    "Palo Alto Networks", "Panasonic", "Pathao", "Paystack", "Paytm", "Petrobras", "PhonePe", "Pirelli",
    "Preferred Networks", "Procter & Gamble", "Prosus", "Publicis Sapient", "Raytheon", "Raytheon Technologies",
    "Razorpay", "Red Hat", "Reliance Industries", "Reliance Jio", "Renault", "Renesas", "Rivian", "Rolls-Royce",
    "Safaricom", "Sanofi", "Saudi Aramco", "Sberbank", "Schlumberger", "Schneider Electric", "Seagate",
    "ServiceNow", "Sharp Corporation", "Skroutz", "Snapp!", "Société Générale", "Splunk", "Stellantis",
    "STMicroelectronics", "Sumitomo", "Swiggy", "Synopsys", "Systems Limited", "Takeda", "Target Corporation", "TCL",
    "Tech Mahindra", "Telefónica", "Telstra", "Texas Instruments", "Thoughtworks", "ThoughtWorks", "Tokopedia",
    "Traveloka", "Trendyol", "Twilio", "UBS", "Valeo", "Veritas Technologies", "Verizon", "VinAI", "VinGroup",
    "Viettel", "Vodafone", "Volvo", "Wells Fargo", "Western Digital", "Workday", "Xilinx", "Yelp", "Zoho", "Zomato",
    "Zoox", "Georgia Power", "Яндекс", "Сбербанк", "Сбер", "Касперского",
)  # fmt: skip

# Written without spaces around them.
EAST_ASIAN_EMPLOYERS = (
    "字节跳动", "腾讯", "阿里巴巴", "百度", "华为", "美团", "京东", "快手", "网易", "小米", "商汤", "微软", "谷歌",
    "蚂蚁集团", "科大讯飞", "海康威视", "大疆", "滴滴", "拼多多", "寒武纪", "旷视科技", "地平线机器人", "中兴通讯",
    "比亚迪", "宁德时代", "中国移动", "中国电信", "联想", "中芯国际", "台积电", "联发科", "鸿海", "富士康", "华硕",
    "宏碁", "广达", "瑞昱", "联咏", "英业达", "中华电信", "趋势科技", "汇丰", "네이버", "카카오", "삼성전자",
    "현대자동차", "쿠팡", "ソニー", "トヨタ", "楽天", "日立制作所",
)  # fmt: skip

ORDINARY_EMPLOYERS = (
    "AWS", "Apple", "Arm", "Block", "Box", "Cohere", "Figure", "Gap", "Grab", "Line", "LINE", "Meta", "Mistral AI",
    "Mistral", "Mozilla", "NTT", "Oracle", "Orange", "Scale AI", "Shell", "Slack", "Snap", "Snowflake", "Square",
    "Stripe", "Target", "Together AI", "Two Sigma", "Unity", "Visa", "DeepSeek", "Oppo", "Vivo", "Adept",
    "Character.AI", "Perplexity", "Agility Robotics", "Allegro", "Aurora", "Canon", "Cruise", "Continental", "Epic",
    "Flex", "Indra", "Intercom", "Leonardo", "Lucid", "Nuro", "Ola", "Peak", "Ping An", "Ramp", "Saab", "Skydio",
    "Snapp", "Sprint", "Cathay Pacific", "Chick-fil-A", "Valve", "Wise", "Zoom",
)  # fmt: skip

LANGUAGES = (
    "Afrikaans", "Amharic", "Arabic", "Bahasa", "Bahasa Indonesia", "Bengali", "Bangla", "Cantonese", "Catalan",
    "Chinese", "Croatian", "Czech", "Danish", "Deutsch", "Dutch", "English", "Español", "Farsi", "Finnish",
    "Français", "French", "German", "Greek", "Gujarati", "Hausa", "Hebrew", "Hindi", "Hungarian", "Igbo",
    "Indonesian", "Italian", "Italiano", "Japanese", "Javanese", "Kannada", "Kazakh", "Khmer", "Korean", "Kurdish",
    "Latin", "Malay", "Malayalam", "Mandarin", "Marathi", "Mongolian", "Nepali", "Norwegian", "Pashto", "Persian",
    "Polish", "Portuguese", "Português", "Punjabi", "Putonghua", "Romanian", "Russian", "Serbian", "Sinhala",
    "Somali", "Spanish", "Swahili", "Swedish", "Tagalog", "Filipino", "Tamil", "Telugu", "Thai", "Tibetan", "Turkish",
    "Ukrainian", "Urdu", "Uyghur", "Uzbek", "Vietnamese", "Wolof", "Xhosa", "Yoruba", "Zulu", "普通话", "粤语",
    "英语", "英文", "中文", "国语", "闽南语", "台语", "客家话", "日语", "日文", "韩语", "韩文", "德语", "德文", "法语",
    "法文", "西班牙语", "西班牙文", "俄语", "俄文",
)  # fmt: skip

# What follows the name of a company, school, city or people when it is a thing of the field that is meant.
TECHNICAL_AFTER = (
    "Alexa", "Ampere", "Analytica", "Android", "Athena", "Autopilot", "Azure", "Blackwell", "Bot", "Cabinet", "Cars",
    "Chrome", "Cirq", "Clara", "Cognitive", "DGX", "Drive", "Dynamics", "DynamoDB", "Earth", "Exynos", "Flowers",
    "Fusion", "Galaxy", "Gemma", "Gemini", "Grace", "HANA", "HoloLens", "Hopper", "Isaac", "K80", "Kinect", "Knox",
    "Llama", "Maps", "Mechanical Turk", "MPI", "Nanopore", "NeMo", "NX", "Nsight", "Omniverse", "OpenVINO", "Optane",
    "P100", "PM4", "Prophet", "Qiskit", "ROCm", "RealSense", "Redshift", "Scholar", "SEAL", "SIMD", "T4", "Tegra",
    "Titan", "Translate", "Triton", "Turing", "VTune", "Volta", "Warp", "Watson", "WordNet", "Xavier",
    "architecture", "attention", "autocomplete", "automaton", "benchmark", "benchmarks", "bunny", "calculus",
    "cameras", "canonical form", "canyon", "clustering", "codes", "coins", "corpus", "curve", "curves", "datasets",
    "decomposition", "distribution", "dragon", "elimination", "encyclopedia", "equation", "equations", "form",
    "forms", "grasping", "gridworld", "inequality", "kernel", "kernels", "lemma", "machine", "machines", "matrices",
    "matrix", "measure", "metric", "museum", "nets", "normal form", "number", "numerals", "optimizer", "phonetics",
    "problem", "process", "processes", "product", "propagation", "protocol", "ratio", "recurrence", "road network",
    "room", "rule", "rules", "sampling", "segments", "sensors", "sentences", "sign language", "sort", "test",
    "theorem", "transform", "units", "vision model", "voting", "wells", "A100", "Ascend", "Bedrock", "BigQuery",
    "CPU", "CPUs", "CUDA", "Cloud", "Colab", "CoreNLP", "DB", "DPU", "EC2", "GPU", "GPUs", "GTX", "Gym", "H100",
    "Inferentia", "Jetson", "Lambda", "MKL", "NPU", "NPUs", "OneAPI", "Orin", "Pay", "Parser", "RTX", "Radeon", "S3",
    "SGX", "SQL", "SageMaker", "Silicon", "Snapdragon", "TPU", "TPUs", "TensorRT", "Tensor", "Trainium", "V100",
    "Xeon", "accelerators", "algorithm", "algorithms", "auction", "buffet", "cards", "chips", "database",
    "databases", "dataset", "housing", "license", "licence", "License", "method", "notation", "option", "parser",
    "postman", "processors", "remainder", "restaurant", "roll", "schema", "segmentation", "text", "tokenization",
    "tournament", "traffic sign", "treebank", "word",
)  # fmt: skip
