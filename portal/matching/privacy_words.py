"""Word lists of the privacy filter. Spelt as in resumes; a list needs not be complete to be of use.

`ORDINARY_EMPLOYERS` are names that are ordinary or technical words as well: they go only where an employer stands.
"""

from __future__ import annotations

_MONTHS = (
    "January February March April May June July August September October November December Jan Feb Mar "
    "Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
MONTHS = tuple(_MONTHS.split())

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
GENDERED = (*_GENDERED.split(), *_SCOUTS.split("|"))

SCHOOLS = (
    "AGH", "ANU", "ASU", "Amirkabir", "BITS Pilani", "BIT", "BUAA", "BUET",
    "BUPT", "BYU", "Beihang", "Beijing Jiaotong", "Berkeley", "Bilkent", "Bocconi", "Boğaziçi", "Brown", "CMU",
    "CUHK", "CUHK-Shenzhen", "CUNY", "CWI", "Cal Poly", "Caltech", "Cambridge", "Carnegie Mellon", "CentraleSupélec",
    "CentraleSupelec", "Chalmers", "Chinese Academy of Sciences", "CityU", "Columbia", "Cornell", "Cornell Tech",
    "DTU", "Dartmouth", "Duke", "ECNU", "ENSAE", "ENSTA", "EPFL", "ESSEC", "ETH Zurich", "ETH Zürich", "ETHZ", "ETH",
    "EURECOM", "Emory", "FPT University", "Fudan", "GWU", "Georgia Tech", "HIT", "HITSZ", "HKBU", "HKU", "HKUST",
    "HKUST(GZ)", "HKUST-GZ", "HUST", "HZAU", "Harvard", "Hong Kong Baptist", "ICTP", "IISc", "IISER", "IIIT", "IIT",
    "IIT Bombay", "IIT Delhi", "IIT Kanpur", "IIT Kharagpur", "IIT Madras", "INRIA", "Inria", "INSA", "INSEAD",
    "ISTA", "IST Austria", "ITMO", "Imperial", "JHU", "JNU", "Jiaotong", "Johns Hopkins", "KAIST", "KAUST", "KIT",
    "KNUST", "KTH", "KU Leuven", "LMU", "LSE", "LUMS", "MBZUAI", "METU", "MIPT", "MIT", "Max Planck",
    "Max Planck Institute",
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
    "Accenture", "Adobe", "Airbnb", "Airbus", "AISingapore", "Alibaba", "Amazon", "AMD", "Ant Financial", "Ant Group",
    "Anthropic", "AstraZeneca", "AT&T", "Atlassian", "AWS", "Baidu", "Barclays", "Bell Labs", "Bilibili", "BlackRock",
    "Bloomberg", "BMW", "Boeing", "Booking.com", "Bosch", "ByteDance", "Bytedance", "Canva", "Capgemini",
    "Capital One", "Cerebras", "CERN", "Cisco", "Citadel", "Cloudflare", "CNRS", "Cognizant", "Coinbase", "CSIRO",
    "Databricks", "Datadog", "DeepMind", "Dell", "Deloitte", "Deutsche Bank", "Deutsche Telekom", "DiDi", "Didi",
    "DoorDash", "Dropbox", "eBay", "EMC Software", "Ericsson", "Expedia", "Facebook", "FedEx", "Flipkart", "Foxconn",
    "Fraunhofer", "Fujitsu", "Goldman Sachs", "Google", "Graphcore", "Groq", "Hewlett Packard", "Hitachi",
    "Honeywell", "HSBC", "Huawei", "HUAWEI", "Hugging Face", "Hyundai", "IBM", "iFlytek", "Infosys", "Intel",
    "Jane Street", "JD.com", "JPMorgan", "J.P. Morgan", "Kakao", "KPMG", "Kuaishou", "Lenovo", "LG Electronics",
    "LinkedIn", "Lockheed Martin", "Lyft", "McKinsey", "MediaTek", "Megvii", "Meituan", "Mercado Libre",
    "Mercedes-Benz", "Micron", "Microsoft", "MiniMax", "Mitsubishi", "Moonshot AI", "Morgan Stanley", "MSRA", "Naver",
    "NAVER", "NEC", "NetEase", "Netflix", "Nokia", "Novartis", "NTT", "Nvidia", "NVIDIA", "OpenAI", "OPPO",
    "Palantir", "PayPal", "Pfizer", "Philips", "Pinduoduo", "Pinterest", "PricewaterhouseCoopers", "PwC", "Qualcomm",
    "Rakuten", "RIKEN", "Roblox", "Roche", "Salesforce", "SambaNova", "Samsung", "SAP", "SenseTime", "Shopee",
    "Shopify", "Siemens", "SK Hynix", "SoftBank", "Sony", "SpaceX", "Spotify", "Tableau Software", "Tata Consultancy",
    "TCS", "Tencent", "Tesla", "Thales", "TikTok", "Toshiba", "Toyota", "Trip.com", "TSMC", "Twitter", "Uber",
    "Unilever", "Visa Research", "VMware", "Volkswagen", "Walmart", "Waymo", "Weibo", "Wipro", "Xiaohongshu",
    "Xiaomi", "Yahoo", "Yandex", "Zalando", "Zhihu", "Zhipu", "Zoom Inc", "ZTE", "字节跳动", "腾讯", "阿里巴巴",
    "百度", "华为", "美团", "京东", "快手", "网易", "小米", "商汤", "微软", "谷歌", "蚂蚁集团", "Tata",
)  # fmt: skip

ORDINARY_EMPLOYERS = (
    "Apple", "Arm", "Block", "Box", "Cohere", "Figure", "Gap", "Grab", "Line", "LINE", "Meta", "Mistral AI",
    "Mistral", "Mozilla", "Oracle", "Orange", "Scale AI", "Shell", "Slack", "Snap", "Snowflake", "Square", "Stripe",
    "Target", "Together AI", "Two Sigma", "Unity", "Visa", "DeepSeek", "Oppo", "Vivo", "Adept", "Character.AI",
    "Perplexity",
)  # fmt: skip

COUNTRIES = (
    "Afghanistan", "Albania", "Algeria", "Andorra", "Angola", "Argentina", "Armenia", "Australia", "Austria",
    "Azerbaijan", "Bahamas", "Bahrain", "Bangladesh", "Barbados", "Belarus", "Belgium", "Belize", "Benin", "Bhutan",
    "Bolivia", "Bosnia and Herzegovina", "Bosnia", "Botswana", "Brazil", "Brunei", "Bulgaria", "Burkina Faso",
    "Burundi", "Cambodia", "Cameroon", "Canada", "Cape Verde", "Central African Republic", "Chile", "China",
    "P.R. China", "P. R. China", "PR China", "P.R.C.", "PRC", "Colombia", "Comoros", "Congo", "DR Congo",
    "Costa Rica", "Croatia", "Cuba", "Cyprus", "Czech Republic", "Czechia", "Côte d'Ivoire", "Côte d’Ivoire",
    "Ivory Coast", "Denmark", "Djibouti", "Dominican Republic", "Dominica", "Ecuador", "Egypt", "El Salvador",
    "Eritrea", "Estonia", "Eswatini", "Ethiopia", "Fiji", "Finland", "France", "Gabon", "Gambia", "Georgia",
    "Germany", "Deutschland", "Ghana", "Greece", "Grenada", "Guatemala", "Guinea", "Guinea-Bissau", "Guyana", "Haiti",
    "Honduras", "Hong Kong", "Hungary", "Iceland", "India", "Indonesia", "Iran", "Iraq", "Ireland", "Israel", "Italy",
    "Italia", "Jamaica", "Japan", "Jordan", "Kazakhstan", "Kenya", "Kiribati", "Korea", "South Korea", "North Korea",
    "Republic of Korea", "Kosovo", "Kuwait", "Kyrgyzstan", "Laos", "Latvia", "Lebanon", "Lesotho", "Liberia", "Libya",
    "Liechtenstein", "Lithuania", "Luxembourg", "Macau", "Macao", "Madagascar", "Malawi", "Malaysia", "Maldives",
    "Mali", "Malta", "Mauritania", "Mauritius", "Mexico", "México", "Micronesia", "Moldova", "Monaco", "Mongolia",
    "Montenegro", "Morocco", "Mozambique", "Myanmar", "Namibia", "Nauru", "Nepal", "Netherlands", "Nederland",
    "New Zealand", "Nicaragua", "Niger", "Nigeria", "North Macedonia", "Macedonia", "Norway", "Oman", "Pakistan",
    "Palau", "Palestine", "Panama", "Papua New Guinea", "Paraguay", "Peru", "Perú", "Philippines", "Poland", "Polska",
    "Portugal", "Puerto Rico", "Qatar", "Romania", "Russia", "Russian Federation", "Rwanda", "Samoa", "San Marino",
    "Saudi Arabia", "Senegal", "Serbia", "Seychelles", "Sierra Leone", "Singapore", "Slovakia", "Slovenia",
    "Solomon Islands", "Somalia", "South Africa", "South Sudan", "Spain", "España", "Sri Lanka", "Sudan", "Suriname",
    "Sweden", "Switzerland", "Schweiz", "Suisse", "Syria", "Taiwan", "Tajikistan", "Tanzania", "Thailand",
    "Timor-Leste", "Togo", "Tonga", "Trinidad and Tobago", "Trinidad", "Tunisia", "Turkey", "Türkiye", "Turkmenistan",
    "Tuvalu", "Uganda", "Ukraine", "United Arab Emirates", "UAE", "U.A.E.", "United Kingdom", "UK", "U.K.",
    "Great Britain", "England", "Scotland", "Wales", "Northern Ireland", "United States", "United States of America",
    "USA", "U.S.A.", "U.S.", "Uruguay", "Uzbekistan", "Vanuatu", "Vatican", "Venezuela", "Vietnam", "Viet Nam",
    "Yemen", "Zambia", "Zimbabwe", "Brasil", "中国", "中國", "香港", "台湾", "台灣", "美国", "美國", "英国", "德国",
    "法国", "日本", "韩国", "新加坡", "加拿大", "澳大利亚", "印度", "俄罗斯", "대한민국", "한국", "Россия", "Україна",
)  # fmt: skip

NATIONALITIES = (
    "Afghan", "African", "Albanian", "Algerian", "American", "Angolan", "Arab", "Argentine", "Argentinian",
    "Armenian", "Asian", "Australian", "Austrian", "Azerbaijani", "Bahraini", "Bangladeshi", "Belarusian", "Belgian",
    "Beninese", "Bhutanese", "Bolivian", "Bosnian", "Brazilian", "British", "Bulgarian", "Burmese", "Burundian",
    "Cambodian", "Cameroonian", "Canadian", "Chilean", "Chinese", "Colombian", "Congolese", "Costa Rican", "Croatian",
    "Cuban", "Cypriot", "Czech", "Danish", "Dominican", "Dutch", "Ecuadorian", "Egyptian", "Emirati",
    "English citizen", "Eritrean", "Estonian", "Ethiopian", "European", "Fijian", "Filipina", "Filipino", "Finnish",
    "French", "Gabonese", "Gambian", "German", "Ghanaian", "Greek", "Guatemalan", "Guinean", "Haitian", "Honduran",
    "Hongkonger", "Hungarian", "Icelandic", "Indian", "Indonesian", "Iranian", "Iraqi", "Irish", "Israeli", "Italian",
    "Ivorian", "Jamaican", "Japanese", "Jordanian", "Kazakh", "Kazakhstani", "Kenyan", "Korean", "Kosovar", "Kurdish",
    "Kuwaiti", "Kyrgyz", "Laotian", "Latvian", "Lebanese", "Liberian", "Libyan", "Lithuanian", "Luxembourgish",
    "Macedonian", "Malagasy", "Malawian", "Malaysian", "Maldivian", "Malian", "Maltese", "Mauritian", "Mexican",
    "Moldovan", "Mongolian", "Montenegrin", "Moroccan", "Mozambican", "Namibian", "Nepalese", "Nepali",
    "New Zealander", "Nicaraguan", "Nigerian", "Norwegian", "Omani", "Pakistani", "Palestinian", "Panamanian",
    "Paraguayan", "Persian", "Peruvian", "Polish", "Portuguese", "Qatari", "Romanian", "Russian", "Rwandan",
    "Salvadoran", "Saudi", "Scottish", "Senegalese", "Serbian", "Singaporean", "Slovak", "Slovenian", "Somali",
    "South African", "Spanish", "Sri Lankan", "Sudanese", "Swedish", "Swiss", "Syrian", "Taiwanese", "Tajik",
    "Tanzanian", "Thai", "Tibetan", "Togolese", "Tunisian", "Turkish", "Turkmen", "Ugandan", "Ukrainian", "Uruguayan",
    "Uzbek", "Venezuelan", "Vietnamese", "Welsh", "Yemeni", "Zambian", "Zimbabwean",
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
    "英语", "中文", "日语",
)  # fmt: skip

CITIES = (
    "Aleppo", "Anatolia", "Appalachia", "Asmara", "Bamako", "Bavaria", "Bihar", "Hà Nội", "Kano", "Kashgar", "Kerala",
    "La Paz", "Lhasa", "Mogadishu", "New England", "Paramaribo", "Port Moresby", "Port-au-Prince", "Suva", "Ürümqi",
    "Urumqi", "Việt Nam",
    "Aachen", "Aarhus", "Abidjan", "Abu Dhabi", "Abuja", "Accra", "Addis Ababa", "Adelaide", "Ahmedabad",
    "Alexandria", "Algiers", "Almaty", "Amman", "Amsterdam", "Ankara", "Ann Arbor", "Antwerp", "Athens", "Atlanta",
    "Auckland", "Austin", "Baghdad", "Baku", "Baltimore", "Bangalore", "Bangkok", "Barcelona", "Basel", "Beijing",
    "Beirut", "Belfast", "Belgrade", "Bellevue", "Bengaluru", "Bergen", "Berlin", "Bern", "Bilbao", "Birmingham",
    "Bogota", "Bogotá", "Bologna", "Bonn", "Bordeaux", "Boston", "Brasília", "Bratislava", "Bremen", "Brisbane",
    "Bristol", "Brno", "Brussels", "Bucharest", "Budapest", "Buenos Aires", "Busan", "Cairo", "Calgary", "California",
    "Canberra", "Cape Town", "Caracas", "Casablanca", "Changchun", "Changsha", "Chengdu", "Chennai", "Chicago",
    "Chongqing", "Christchurch", "Cleveland", "Cluj", "Coimbra", "Cologne", "Köln", "Colombo", "Colorado", "Columbus",
    "Connecticut", "Copenhagen", "Cupertino", "Curitiba", "Cusco", "Daejeon", "Daegu", "Dakar", "Dalian", "Dallas",
    "Damascus", "Darmstadt", "Delft", "Delhi", "New Delhi", "Denver", "Detroit", "Dhaka", "Dortmund", "Dresden",
    "Dubai", "Dublin", "Durban", "Durham", "Düsseldorf", "Edinburgh", "Eindhoven", "Erlangen", "Essen", "Florence",
    "Florida", "Fortaleza", "Frankfurt", "Freiburg", "Fukuoka", "Fuzhou", "Gainesville", "Galway", "Gdańsk", "Geneva",
    "Genoa", "Ghent", "Glasgow", "Gothenburg", "Göteborg", "Grenoble", "Groningen", "Guadalajara", "Guangdong",
    "Guangzhou", "Guiyang", "Gwangju", "Göttingen", "Haifa", "Haikou", "Hamburg", "Hangzhou", "Hannover", "Hanoi",
    "Harare", "Harbin", "Havana", "Hefei", "Heidelberg", "Helsinki", "Ho Chi Minh City", "Hohhot", "Houston",
    "Hsinchu", "Hyderabad", "Ibadan", "Illinois", "Indiana", "Indianapolis", "Innsbruck", "Islamabad", "Istanbul",
    "Ithaca", "Izmir", "Jakarta", "Jena", "Jerusalem", "Jiangsu", "Jinan", "Johannesburg", "Kabul", "Kampala",
    "Kanpur", "Kansas", "Karachi", "Karlsruhe", "Kathmandu", "Kazan", "Kharkiv", "Khartoum", "Kiel", "Kigali",
    "Kinshasa", "Kolkata", "Konstanz", "Kraków", "Krakow", "Kuala Lumpur", "Kumasi", "Kunming", "Kyiv", "Kyoto",
    "København", "Lagos", "Lahore", "Lanzhou", "Las Vegas", "Lausanne", "Leeds", "Leiden", "Leipzig", "Leuven",
    "Lille", "Lima", "Linköping", "Linz", "Lisbon", "Lisboa", "Liverpool", "Ljubljana", "London", "Los Angeles",
    "Lucknow", "Lund", "Luxemburg", "Lviv", "Lyon", "Maastricht", "Madison", "Madrid", "Mainz", "Malmö", "Manchester",
    "Mandalay", "Manila", "Mannheim", "Maryland", "Massachusetts", "Medellín", "Melbourne", "Menlo Park",
    "Mexico City", "Miami", "Michigan", "Milan", "Milano", "Minneapolis", "Minnesota", "Minsk", "Monterrey",
    "Montevideo", "Montpellier", "Montreal", "Montréal", "Moscow", "Mountain View", "Mumbai", "Munich", "München",
    "Münster", "Nagoya", "Nairobi", "Nanchang", "Nanjing", "Nanning", "Naples", "Napoli", "Nantes", "Nashville",
    "New Haven", "New Jersey", "New York", "Newcastle", "Ningbo", "Nottingham", "Novosibirsk", "Nuremberg",
    "Nürnberg", "Odessa", "Ohio", "Oregon", "Osaka", "Oslo", "Ottawa", "Oulu", "Padua", "Padova", "Palo Alto",
    "Paris", "Pasadena", "Patna", "Pennsylvania", "Penang", "Perth", "Phnom Penh", "Philadelphia", "Pisa",
    "Pittsburgh", "Pohang", "Porto", "Porto Alegre", "Portland", "Potsdam", "Poznań", "Prague", "Praha", "Pretoria",
    "Pune", "Qingdao", "Quebec", "Québec", "Quito", "Rawalpindi", "Recife", "Redmond", "Rennes", "Reykjavik", "Riga",
    "Rio de Janeiro", "Riyadh", "Roma", "Rome", "Rotterdam", "Sacramento", "Saarbrücken", "Salt Lake City",
    "Salzburg", "San Antonio", "San Diego", "San Francisco", "San Jose", "San José", "San Juan", "San Salvador",
    "Santa Barbara", "Santa Clara", "Santa Cruz", "Santiago", "Santo Domingo", "Sao Paulo", "São Paulo", "Sapporo",
    "Sarajevo", "Seattle", "Sendai", "Seoul", "Seville", "Sevilla", "Shandong", "Shanghai", "Sheffield", "Shenyang",
    "Shenzhen", "Shijiazhuang", "Singapore", "Sofia", "Southampton", "St. Gallen", "St. Louis", "St. Petersburg",
    "Saint Petersburg", "Stanford, CA", "Stockholm", "Strasbourg", "Stuttgart", "Sunnyvale", "Suzhou", "Sydney",
    "Taipei", "Taiyuan", "Tallinn", "Tampa", "Tampere", "Tartu", "Tashkent", "Tbilisi", "Tehran", "Tel Aviv", "Tempe",
    "Texas", "Thessaloniki", "Tianjin", "Tirana", "Tokyo", "Toronto", "Toulouse", "Trento", "Trieste", "Tripoli",
    "Trondheim", "Tsukuba", "Tucson", "Tunis", "Turin", "Torino", "Turku", "Tübingen", "Ulm", "Ulsan", "Uppsala",
    "Urbana", "Urumqi", "Utah", "Utrecht", "Valencia", "Valparaíso", "Vancouver", "Venice", "Vienna", "Wien",
    "Vilnius", "Virginia", "Warsaw", "Warszawa", "Washington", "Washington, D.C.", "Washington D.C.", "Waterloo",
    "Wellington", "Winnipeg", "Wisconsin", "Wrocław", "Wuhan", "Wuxi", "Xi'an", "Xi’an", "Xiamen", "Yangon",
    "Yekaterinburg", "Yerevan", "Yokohama", "York", "Zagreb", "Zaragoza", "Zhejiang", "Zhengzhou", "Zhuhai", "Zurich",
    "Zürich", "北京", "上海", "深圳", "广州", "杭州", "南京", "武汉", "成都", "西安", "天津", "重庆", "苏州", "合肥",
    "长沙", "哈尔滨", "東京", "大阪", "京都", "서울", "부산", "Москва",
)  # fmt: skip

# What follows the name of a company, school, city or people when it is a thing of the field that is meant.
TECHNICAL_AFTER = (
    "A100", "Ascend", "Bedrock", "BigQuery", "CPU", "CPUs", "CUDA", "Cloud", "Colab", "CoreNLP", "DB", "DPU", "EC2",
    "GPU", "GPUs", "GTX", "Gym", "H100", "Inferentia", "Jetson", "Lambda", "MKL", "NPU", "NPUs", "OneAPI", "Orin",
    "Pay", "Parser", "RTX", "Radeon", "S3", "SGX", "SQL", "SageMaker", "Silicon", "Snapdragon", "TPU", "TPUs",
    "TensorRT", "Tensor", "Trainium", "V100", "Xeon", "accelerators", "algorithm", "algorithms", "auction", "buffet",
    "cards", "chips", "database", "databases", "dataset", "housing", "license", "licence", "License", "method",
    "notation", "option", "parser", "postman", "processors", "remainder", "restaurant", "roll", "schema",
    "segmentation", "text", "tokenization", "tournament", "traffic sign", "treebank", "word",
)  # fmt: skip
