"""Words that the rules for states know: professions, animals, devices, relatives, what a person has; surnames."""

from __future__ import annotations

PROFESSIONS = (
    r"engineer|developer|dev|programmer|designer|teacher|doctor|nurse|lawyer|student|manager|writer"
    r"|artist|chef|cook|driver|scientist|researcher"
    r"|professor|accountant|analyst|consultant|architect|photographer|musician|singer|actor|actress"
    r"|dentist|pharmacist|pilot|journalist|editor"
    r"|translator|electrician|plumber|mechanic|carpenter|farmer|salesperson|salesman|saleswoman|cashier"
    r"|waiter|waitress|barista|librarian|therapist"
    r"|psychologist|psychiatrist|counsell?or|coach|trainer|police officer|firefighter|soldier"
    r"|freelancer|entrepreneur|founder|co-founder|ceo|cto|cfo|coo|cmo"
    r"|vp|vice president|director|assistant|secretary|receptionist|marketer|administrator|admin"
    r"|technician|biologist|chemist|physicist|economist|banker"
    r"|broker|realtor|vet|veterinarian|surgeon|physician|paramedic|blogger|streamer|youtuber|influencer"
    r"|intern|data scientist|housewife|homemaker"
    r"|stay-at-home (?:mom|mum|dad|parent)|tutor|lecturer|postdoc|phd student|recruiter|supervisor"
    r"|operator|planner|officer|agent|clerk|baker|tailor"
    r"|hairdresser|barber|gardener|cleaner|security guard|bartender|butcher|dancer|choreographer"
    r"|composer|conductor|producer|film-?maker|animator|illustrator"
    r"|novelist|poet|author|copywriter|proofreader|interpreter|linguist|historian|archaeologist"
    r"|geologist|astronomer|mathematician|statistician|actuary|auditor"
    r"|bookkeeper|underwriter|trader|investor|paralegal|judge|attorney|solicitor|barrister|notary"
    r"|diplomat|politician|civil servant|social worker|midwife"
    r"|optometrist|optician|physiotherapist|nutritionist|dietitian|caregiver|nanny|babysitter|principal"
    r"|headteacher|kindergarten teacher|flight attendant"
    r"|captain|sailor|fisherman|truck driver|taxi driver|courier|postman|builder|welder|roofer|painter"
    r"|decorator|surveyor|urban planner|florist|jeweller|beekeeper"
    r"|brewer|sommelier|butler|housekeeper|janitor|lifeguard|athlete|footballer|referee"
    r"|personal trainer|yoga teacher|monk|priest|pastor|imam|rabbi|devops|sre|sysadmin"
    r"|tester|qa|tech lead|team lead|scrum master|product owner|head of [\w ]+|specialist"
    r"|representative|coordinator|associate|executive|strategist|(?:business|shop|store|restaurant"
    r"|caf[eé]|company|hotel) owner"
)
PETS = (
    r"dogs?|cats?|pupp(?:y|ies)|kittens?|hamsters?|rabbits?|bunn(?:y|ies)|parrots?|birds?|goldfish|fish"
    r"|turtles?|tortoises?|snakes?|lizards?|guinea pigs?"
    r"|ferrets?|horses?|pon(?:y|ies)|golden retrievers?|labradors?|poodles?|corgis?|husk(?:y|ies)"
    r"|beagles?|bulldogs?|german shepherds?|ragdolls?"
)
PHONES = r"iphone|android|pixel|galaxy|huawei|xiaomi|oneplus|phone|smartphone"
COMPUTERS = r"macbook|laptop|thinkpad|notebook|chromebook|imac|desktop|pc|computer|surface|ipad|tablet"
RELATIONS = (
    r"wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|mom|mum|father|dad|brother|sister|dog"
    r"|cat|boss|best friend|baby|puppy|kitten"
)
OWN_FACTS = (
    r"budget|height|current weight|weight|shoe size|clothing size|size|blood type|zodiac sign|star sign"
    r"|time ?zone|hometown|nationality|main hobby|hobby|hobbies|major"
    r"|salary|e-?mail(?: address)?|phone number|address|native language|mother tongue|first language"
    r"|deadline|goal|current goal|main goal|dream|religion"
    r"|job|profession|occupation|role|position|title|company|employer|school|university|car|phone"
    r"|laptop|computer|age|birthday|name|pronouns|risk tolerance"
    r"|risk preference|schedule|bedtime|resolution|target"
)
SLOT_OF_NOUN = {
    "profession": "job",
    "occupation": "job",
    "role": "job",
    "position": "job",
    "title": "job",
    "company": "employer",
    "university": "school",
    "car": "vehicle",
    "phone": "device:phone",
    "laptop": "device:computer",
    "computer": "device:computer",
    "current goal": "goal",
    "main goal": "goal",
    "mother tongue": "native language",
    "first language": "native language",
    "hobbies": "hobby",
    "main hobby": "hobby",
    "email": "e-mail",
    "email address": "e-mail",
    "risk preference": "taste:risk",
    "risk tolerance": "taste:risk",
    "current weight": "weight",
}
# The most frequent ones of China.
SURNAMES_ZH = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡蒋余于杜叶程魏苏吕丁任卢姚"
    "沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊孟秦阎薛侯雷龙段郝孔邵史毛万顾武严欧阳司马诸葛"
)
