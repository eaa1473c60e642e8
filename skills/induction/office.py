"""Tasks of working life that people bring to assistants again and again."""

from __future__ import annotations

from skills.induction.frames import Domain, Frame, domain

OFFICE: tuple[Domain, ...] = (
    domain(
        "email",
        r"\b(?:e-?mails?|cover letter|letter to|newsletter)\b",
        r"邮件|回信|写信|致信",
        (
            Frame(
                "E-mail Writing",
                "write e-mails",
                "a writer",
                "the user asks for an e-mail, a letter or a reply",
                "Find out who it is for, what it shall bring about and what has been said before",
                "Give the text with its subject line, ready to be sent",
            ),
            Frame(
                "邮件撰写",
                "撰写邮件",
                "写邮件的人",
                "用户要写邮件、信件或回复时使用",
                "弄清收件人、目的和此前的往来内容",
                "给出带主题、可直接发送的正文",
            ),
        ),
    ),
    domain(
        "report",
        r"\b(?:(?:weekly|monthly|daily|quarterly|status|progress|annual|sales|project|team) (?:\w+ )?(?:reports?|updates?|summar(?:y|ies))|write (?:a|the|my|our) (?:\w+ )?report)\b",
        r"周报|月报|日报|季报|年报|工作总结|写.{0,4}报告|工作汇报|进度汇报",
        (
            Frame(
                "Report Writing",
                "write reports on work that was done",
                "an employee",
                "the user asks for a report, a status update or a summary of their work",
                "Collect what was done, the figures and the period that the report is about",
                "Give the report in the form that the reader is used to, and name what is still missing",
            ),
            Frame(
                "工作报告撰写",
                "撰写工作报告",
                "需要汇报工作的人",
                "用户要写周报、总结或汇报时使用",
                "收集报告周期内完成的事项和数据",
                "按固定格式给出报告，并指出还缺少的内容",
            ),
        ),
    ),
    domain(
        "slides",
        r"\b(?:slides?|slide ?decks?|pitch deck|presentation|power ?point|keynote)\b",
        r"PPT|幻灯片|演示文稿|路演",
        (
            Frame(
                "Presentation Preparation",
                "prepare presentations",
                "a speaker",
                "the user asks for slides or a presentation",
                "Ask who the audience is, how long the talk is and what they shall take away",
                "Give the slides one by one, with title, points and notes for the speaker",
            ),
            Frame(
                "演示文稿准备",
                "准备演示文稿",
                "演讲者",
                "用户要做PPT或演示时使用",
                "确认听众、时长和希望传达的结论",
                "逐页给出标题、要点和讲稿提示",
            ),
        ),
    ),
    domain(
        "meeting",
        r"\bmeeting (?:notes|minutes|agenda|summary)\b|\b(?:minutes|notes|summary|agenda) (?:of|for|from) (?:the|our|my|this) (?:\w+ )?meeting\b",
        r"会议(?:纪要|记录|议程|总结)",
        (
            Frame(
                "Meeting Notes",
                "write up meetings",
                "a note-taker",
                "the user asks for meeting notes, minutes or an agenda",
                "Find out who took part and what was to be decided",
                "Give decisions, open points and tasks with names and dates",
            ),
            Frame(
                "会议纪要整理",
                "整理会议内容",
                "做会议记录的人",
                "用户要整理会议纪要或议程时使用",
                "确认参会人和会议议题",
                "列出结论、待定事项，以及带负责人和日期的任务",
            ),
        ),
    ),
    domain(
        "job",
        r"\b(?:r[ée]sum[ée]s?|cv|curriculum vitae|job interview|interview questions?|job application)\b",
        r"简历|面试|求职",
        (
            Frame(
                "Job Applications",
                "apply for jobs",
                "an applicant",
                "the user asks for help with a résumé, an application or an interview",
                "Ask for the position and the experience that fits it",
                "Give the finished text, and what the user should be ready to be asked",
            ),
            Frame(
                "求职准备",
                "准备求职材料和面试",
                "求职者",
                "用户修改简历、投递或准备面试时使用",
                "确认目标岗位和相关经历",
                "给出成稿，并提示可能被问到的问题",
            ),
        ),
    ),
    domain(
        "translation",
        r"\btranslat(?:e|ion|ing)\b",
        r"翻译|译成|译文",
        (
            Frame(
                "Translation",
                "translate texts",
                "a reader",
                "the user asks for a translation",
                "Find out what the text is for and who will read it",
                "Give the translation alone, with doubtful places named below it",
            ),
            Frame(
                "翻译",
                "翻译文本",
                "需要译文的人",
                "用户要求翻译时使用",
                "弄清文本的用途和读者",
                "只给出译文，存疑之处列在下方",
            ),
        ),
    ),
    domain(
        "data",
        r"\b(?:spreadsheets?|excel|pivot tables?|charts?|dashboards?|analy[sz]e (?:the|this|my|our|some) (?:\w+ )?(?:data|figures|numbers|results)|data analysis)\b",
        r"Excel|表格|数据分析|图表|透视表|看板",
        (
            Frame(
                "Data Analysis",
                "analyse data and show it",
                "an analyst",
                "the user asks for an analysis, a chart or a spreadsheet",
                "Find out what question the data shall answer, and how it is laid out",
                "Give the result first, then how it was found and what to doubt in it",
            ),
            Frame(
                "数据分析",
                "分析并展示数据",
                "处理数据的人",
                "用户要分析数据、做图表或表格时使用",
                "弄清数据要回答的问题和数据结构",
                "先给结论，再说明得出的过程和存疑之处",
            ),
        ),
    ),
    domain(
        "writing",
        r"\b(?:blog(?: ?posts?)?|articles?|(?:linkedin|instagram|twitter|social media|x) posts?|captions?|product descriptions?|press release|essay|slogans?)\b",
        r"文章|文案|推文|公众号|小红书|朋友圈|稿子|标题党|软文",
        (
            Frame(
                "Content Writing",
                "write texts for readers",
                "an author",
                "the user asks for a post, an article or other copy",
                "Find out who will read it, where it appears and what it shall bring about",
                "Give the finished text, and a few titles to choose from where it has one",
            ),
            Frame(
                "文案写作",
                "撰写面向读者的文字",
                "作者",
                "用户要写文章、帖子或文案时使用",
                "弄清读者、发布渠道和目的",
                "给出成稿，有标题的给出几个备选",
            ),
        ),
        is_broad=True,
    ),
    domain(
        "code",
        r"\b(?:code|codebase|python|javascript|typescript|java|rust|golang|sql|react|django|regex|unit tests?|refactor\w*|stack ?trace|bash|docker|compil\w+|pull request|endpoint|api)\b",
        r"代码|函数|脚本|报错|重构|接口|单元测试|编程|程序|正则",
        (
            Frame(
                "Programming",
                "write and review code",
                "a developer",
                "the user asks for code, a review or the cause of an error",
                "Find out which language, versions and conventions the code has to keep to",
                "Give code that runs as it stands, and say how it was checked",
            ),
            Frame(
                "编程",
                "编写和审查代码",
                "开发者",
                "用户要写代码、审查或排查错误时使用",
                "弄清语言、版本和代码规范",
                "给出可直接运行的代码，并说明如何验证",
            ),
        ),
        is_broad=True,
    ),
)
