"""Word lists of the privacy filter. Spelt as in resumes; a list needs not be complete to be of use."""

from __future__ import annotations

_MONTHS = (
    "January February March April May June July August September October November December Jan Feb Mar "
    "Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
MONTHS = tuple(_MONTHS.split())

_GENDERED = (
    "he she him her hers his himself herself mr mrs ms miss male female man woman men women boy boys "
    "girl girls gender husband wife mother father brother sister son daughter gentleman lady fraternity "
    "sorority chairman chairwoman salesman saleswoman spokesman spokeswoman waiter waitress actress"
)
GENDERED = tuple(_GENDERED.split())

SCHOOLS = (
    "MIT", "ETH Zurich", "ETH Zürich", "ETHZ", "ETH", "EPFL", "HKUST", "HKUST(GZ)", "HKU", "CUHK", "HKBU", "PolyU",
    "CityU", "PKU", "THU", "Tsinghua", "Peking", "Fudan", "SJTU", "ZJU", "USTC", "NJU", "HIT", "BUAA", "BIT", "HUST",
    "UCAS", "CMU", "Carnegie Mellon", "Stanford", "Harvard", "Princeton", "Yale", "Cornell", "Caltech", "Berkeley",
    "UC Berkeley", "UCB", "UCLA", "UCSD", "UC San Diego", "UCSB", "UC Davis", "UC Irvine", "USC", "UIUC", "UT Austin",
    "UW", "UMich", "UPenn", "NYU", "Georgia Tech", "Virginia Tech", "Texas A&M", "Purdue", "Duke", "Rice", "Brown",
    "Columbia", "Dartmouth", "Northwestern", "Johns Hopkins", "Oxford", "Cambridge", "Imperial", "UCL", "LSE",
    "KAIST", "POSTECH", "SNU", "NUS", "NTU", "NTHU", "TU Munich", "TUM", "TU Berlin", "TU Delft", "KTH", "RWTH",
    "RWTH Aachen", "INRIA", "Inria", "IIT", "IIT Bombay", "IIT Delhi", "IIT Madras", "IIT Kanpur", "IISc", "IIIT",
    "BITS Pilani", "KAUST", "Technion", "Waterloo", "McGill", "UofT", "UBC", "ANU", "UNSW", "Max Planck",
    "Max Planck Institute", "Chinese Academy of Sciences", "Hong Kong Baptist", "School of Computer Science",
)  # fmt: skip

EMPLOYERS = (
    "Google", "Google Research", "Google Brain", "DeepMind", "Google DeepMind", "Microsoft", "Microsoft Research",
    "Microsoft Research Asia", "MSRA", "Meta AI", "Facebook", "FAIR", "Amazon", "AWS", "Apple Inc", "NVIDIA", "Nvidia",
    "Intel Labs", "IBM", "IBM Research", "OpenAI", "Anthropic", "ByteDance", "TikTok", "Alibaba", "Alibaba Cloud",
    "Tencent", "Baidu", "Huawei", "HUAWEI", "ZTE", "SenseTime", "Megvii", "JD.com", "Meituan", "Kuaishou", "Xiaomi",
    "Samsung", "Samsung Research", "LG Electronics", "Naver", "Kakao", "Sony", "Toyota", "Bosch", "Siemens", "SAP SE",
    "Oracle", "Salesforce", "Adobe", "Netflix", "Uber", "Airbnb", "LinkedIn", "Twitter", "Snap Inc", "Tesla",
    "Qualcomm", "AMD Inc", "Cisco", "VMware", "Databricks", "Snowflake", "Tableau Software", "EMC Software",
    "Goldman Sachs", "JPMorgan", "Jane Street", "Citadel", "Bloomberg", "Morgan Stanley", "Deloitte", "McKinsey",
)  # fmt: skip

COUNTRIES = (
    "Afghanistan", "Albania", "Algeria", "Argentina", "Armenia", "Australia", "Austria", "Azerbaijan", "Bangladesh",
    "Belarus", "Belgium", "Bolivia", "Bosnia", "Botswana", "Brazil", "Bulgaria", "Cambodia", "Cameroon", "Canada",
    "Chile", "China", "P.R. China", "PR China", "PRC", "Colombia", "Costa Rica", "Croatia", "Cuba", "Cyprus",
    "Czech Republic", "Czechia", "Denmark", "Ecuador", "Egypt", "Estonia", "Ethiopia", "Finland", "France", "Georgia",
    "Germany", "Deutschland", "Ghana", "Greece", "Guatemala", "Honduras", "Hong Kong", "Hungary", "Iceland", "India",
    "Indonesia", "Iran", "Iraq", "Ireland", "Israel", "Italy", "Jamaica", "Japan", "Jordan", "Kazakhstan", "Kenya",
    "Korea", "South Korea", "North Korea", "Kuwait", "Kyrgyzstan", "Laos", "Latvia", "Lebanon", "Libya", "Lithuania",
    "Luxembourg", "Macau", "Malaysia", "Malta", "Mexico", "Moldova", "Mongolia", "Morocco", "Mozambique", "Myanmar",
    "Namibia", "Nepal", "Netherlands", "The Netherlands", "New Zealand", "Nicaragua", "Nigeria", "Norway", "Oman",
    "Pakistan", "Palestine", "Panama", "Paraguay", "Peru", "Philippines", "Poland", "Portugal", "Qatar", "Romania",
    "Russia", "Rwanda", "Saudi Arabia", "Senegal", "Serbia", "Singapore", "Slovakia", "Slovenia", "Somalia",
    "South Africa", "Spain", "Sri Lanka", "Sudan", "Sweden", "Switzerland", "Syria", "Taiwan", "Tajikistan",
    "Tanzania", "Thailand", "Tunisia", "Turkey", "Türkiye", "Uganda", "Ukraine", "United Arab Emirates", "UAE",
    "United Kingdom", "UK", "England", "Scotland", "Wales", "United States", "United States of America", "USA",
    "U.S.A.", "U.S.", "Uruguay", "Uzbekistan", "Venezuela", "Vietnam", "Yemen", "Zambia", "Zimbabwe",
    "American", "Argentinian", "Australian", "Austrian", "Bangladeshi", "Belgian", "Brazilian", "British", "Bulgarian",
    "Canadian", "Chilean", "Chinese", "Colombian", "Croatian", "Czech", "Danish", "Dutch", "Egyptian", "Ethiopian",
    "Finnish", "French", "German", "Ghanaian", "Greek", "Hungarian", "Indian", "Indonesian", "Iranian", "Iraqi",
    "Irish", "Israeli", "Italian", "Japanese", "Kenyan", "Korean", "Lebanese", "Malaysian", "Mexican", "Mongolian",
    "Moroccan", "Nepali", "Nigerian", "Norwegian", "Pakistani", "Persian", "Peruvian", "Polish", "Portuguese",
    "Romanian", "Russian", "Saudi", "Serbian", "Singaporean", "Spanish", "Swedish", "Swiss", "Syrian", "Taiwanese",
    "Thai", "Tunisian", "Turkish", "Ukrainian", "Vietnamese", "中国", "中國", "香港", "台湾", "台灣", "美国", "美國",
)  # fmt: skip

CITIES = (
    "Amsterdam", "Athens", "Atlanta", "Austin", "Bangalore", "Bangkok", "Barcelona", "Basel", "Beijing", "Bengaluru",
    "Berlin", "Bogota", "Boston", "Brussels", "Budapest", "Buenos Aires", "Cairo", "California", "Changsha", "Chengdu",
    "Chennai", "Chicago", "Chongqing", "Copenhagen", "Dalian", "Dallas", "Delhi", "New Delhi", "Denver", "Dhaka",
    "Dubai", "Dublin", "Edinburgh", "Frankfurt", "Geneva", "Guangdong", "Guangzhou", "Hamburg", "Hangzhou", "Harbin",
    "Hefei", "Helsinki", "Houston", "Hyderabad", "Istanbul", "Jakarta", "Jerusalem", "Jinan", "Karachi", "Kolkata",
    "Kuala Lumpur", "Kyoto", "Lahore", "Lausanne", "Lisbon", "London", "Los Angeles", "Madrid", "Manchester", "Manila",
    "Massachusetts", "Melbourne", "Milan", "Montreal", "Moscow", "Mumbai", "Munich", "München", "Nanjing", "New York",
    "Osaka", "Oslo", "Ottawa", "Paris", "Philadelphia", "Pittsburgh", "Prague", "Pune", "Qingdao", "Rome",
    "San Francisco", "San Jose", "Santiago", "Sao Paulo", "São Paulo", "Seattle", "Seoul", "Shanghai", "Shenyang",
    "Shenzhen", "Stockholm", "Suzhou", "Sydney", "Taipei", "Tehran", "Tel Aviv", "Texas", "Tianjin", "Tokyo",
    "Toronto", "Vancouver", "Vienna", "Warsaw", "Washington", "Wuhan", "Xi'an", "Xiamen", "Zhejiang", "Zurich",
    "Zürich", "北京", "上海", "深圳", "广州", "杭州", "南京", "武汉", "成都",
)  # fmt: skip
