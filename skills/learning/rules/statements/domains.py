"""Fields of work, by which learned methods are shelved: broad enough that a skill of one grows with every lesson."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memories.text.tokenize import extract_keywords

_NAMED: tuple[tuple[str, str, str], ...] = (
    ("billing-operations", "账单与收费", "bill billing invoice charge refund payment subscription credit overcharge receipt dunning vat rounding 账单 发票 扣费 退款 付款 收费 订阅 开票 对账"),
    ("order-operations", "订单处理", "order shipment shipping parcel delivery tracking fulfilment fulfillment warehouse inventory stock 订单 发货 物流 快递 配送 库存 仓库"),
    ("product-returns", "退换货", "return returns exchange warranty defective rma replacement 退货 换货 保修 残次 售后"),
    ("customer-support", "客户支持", "support ticket complaint customer helpdesk escalation csat 客服 工单 投诉 客户 升级"),
    ("account-access", "账号与权限", "login password account access permission sso mfa 2fa token credential role unlock oauth 登录 密码 账号 权限 令牌 解锁 授权"),
    ("deployment-operations", "部署发布", "deploy deployment release rollback rollout kubernetes k8s docker container helm pipeline ci cd build canary staging 部署 发布 回滚 上线 容器 流水线 灰度 构建"),
    ("incident-response", "故障处理", "incident outage alert downtime pager postmortem monitoring latency crash restart memory leak 故障 告警 宕机 监控 事故 重启 排障"),
    ("database-operations", "数据库运维", "database sql postgres postgresql mysql migration index query schema backup restore vacuum replication table 数据库 迁移 索引 查询 备份 恢复 表 慢查询"),
    ("data-analysis", "数据分析", "data analysis csv excel spreadsheet dataset dataframe pandas chart report dashboard metric statistics pivot 数据 分析 报表 图表 指标 统计 表格"),
    ("software-development", "软件开发", "code bug function refactor compile library dependency test testing unit pytest debug exception api endpoint implementation python javascript typescript java typeerror 代码 函数 重构 编译 依赖 测试 调试 异常 接口 开发"),
    ("web-development", "网页开发", "website page html css frontend react vue layout browser responsive seo 网页 网站 前端 样式 浏览器 页面"),
    ("code-review", "代码评审", "review reviewer pull request merge diff branch git commit rebase 评审 合并 分支 提交"),
    ("api-integration", "接口对接", "integration webhook api endpoint rate limit pagination oauth sdk connector crm sync 对接 回调 集成 同步 限流 分页"),
    ("cloud-infrastructure", "云与基础设施", "cloud aws azure gcp server network dns certificate tls ssl terraform load balancer bucket vpn firewall nginx 云 服务器 网络 证书 域名 防火墙 负载"),
    ("security-operations", "安全", "security vulnerability patch audit encryption phishing malware exposure leak secret 安全 漏洞 补丁 审计 加密 钓鱼"),
    ("travel-planning", "旅行规划", "travel trip flight hotel itinerary visa booking airport vacation train 旅行 旅游 机票 酒店 行程 签证 航班"),
    ("scheduling", "日程安排", "schedule meeting calendar appointment reschedule slot invite reminder timezone 日程 会议 日历 预约 改期 安排"),
    ("email-communication", "邮件沟通", "email mail reply inbox newsletter draft subject recipient 邮件 回复 收件 群发"),
    ("writing-and-editing", "写作与编辑", "write writing article essay blog edit proofread draft summary copy headline tone 写作 文章 润色 校对 摘要 文案 标题"),
    ("translation", "翻译", "translate translation localisation localization glossary subtitle 翻译 本地化 术语"),
    ("research", "调研", "research source citation survey literature compare comparison competitor benchmark 调研 文献 资料 竞品 对比 研究"),
    ("presentation-and-documents", "文档与演示", "slide slides presentation powerpoint document pdf template word formatting contract 幻灯片 演示 文档 模板 排版"),
    ("file-management", "文件管理", "file folder rename archive upload download duplicate drive directory zip 文件 文件夹 归档 上传 下载 目录"),
    ("marketing", "市场营销", "marketing campaign ads audience social media landing conversion promotion keyword 营销 广告 活动 推广 转化 投放"),
    ("sales-operations", "销售", "sales lead deal quote proposal prospect pipeline discount crm 销售 报价 线索 商机 折扣"),
    ("procurement", "采购", "procurement purchase supplier vendor tender sourcing purchasing 采购 供应商 招标 比价"),
    ("finance-and-reporting", "财务与报表", "budget forecast accounting ledger expense reimbursement tax audit payroll finance 预算 财务 报销 税 记账 工资 审计"),
    ("recruiting-and-people", "招聘与人事", "hiring recruit candidate resume interview onboarding employee leave vacation hr 招聘 候选人 简历 面试 入职 员工 人事 请假"),
    ("project-management", "项目管理", "project milestone sprint backlog roadmap stakeholder deadline kanban jira planning 项目 里程碑 迭代 排期 需求 进度"),
    ("event-planning", "活动策划", "event venue catering guest conference party wedding 活动 场地 嘉宾 聚会 婚礼"),
    ("shopping", "购物", "shopping buy purchase price product compare cart coupon gift 购物 购买 价格 优惠 礼物"),
    ("cooking", "烹饪", "cook cooking recipe meal ingredient bake oven dinner 烹饪 做饭 菜谱 食材 烘焙"),
    ("health-and-fitness", "健康与运动", "health workout exercise diet sleep training medication doctor run 健康 运动 饮食 睡眠 训练 用药"),
    ("learning-and-teaching", "学习与教学", "lesson course study exam homework student teach tutorial quiz 课程 学习 考试 作业 教学"),
    ("legal-and-compliance", "法务与合规", "legal contract compliance gdpr privacy policy clause agreement 法务 合同 合规 隐私 条款"),
    ("home-and-maintenance", "家居与维修", "repair maintenance plumbing furniture appliance device home wifi router printer 维修 家电 家具 路由器 打印机 安装"),
    ("design", "设计", "design figma logo layout color typography mockup wireframe icon 设计 配色 图标 原型"),
    ("machine-learning", "机器学习", "model training dataset prompt embedding llm gpu inference fine-tune neural classifier 模型 训练 提示词 推理 微调 向量"),
)  # fmt: skip
# Words that every task has.
_EMPTY = frozenset(
    extract_keywords(
        "user users agent task problem issue error request ask do make get use find check create add update change set new first next then step way work"
        " result help need want fix solve correct wrong right time day one two always never before after again when if whenever should must can"
    )
)
_PLAIN = re.compile(r"[a-z][a-z-]{2,}")


@dataclass(frozen=True, slots=True)
class Domain:
    """`name` for paths and front matter; `title` and `chinese` for people."""

    name: str
    chinese: str
    words: str

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()

    def titled(self, language: str) -> str:
        return self.chinese if language == "zh" and self.chinese else self.title


@lru_cache(maxsize=1)
def list_domains() -> tuple[tuple[Domain, frozenset[str]], ...]:
    return tuple(
        (
            Domain(*stated),
            frozenset(extract_keywords(f"{stated[0].replace('-', ' ')} {stated[1]} {stated[2]}")) - _EMPTY,
        )
        for stated in _NAMED
    )


def find_domain(*texts: str) -> Domain | None:
    """The field that most of the words belong to; the first text counts twice. None where no word tells."""
    counts: dict[str, int] = {}
    for at, text in enumerate(texts):
        for term in set(extract_keywords(text)) - _EMPTY:
            counts[term] = counts.get(term, 0) + (2 if at == 0 else 1)
    scored = [
        (sum(counts.get(term, 0) for term in terms), -at, domain)
        for at, (domain, terms) in enumerate(list_domains())
    ]
    best = max(scored, key=lambda one: one[:2])
    return best[2] if best[0] >= 2 else None


def build_own_domain(*texts: str) -> Domain:
    """Where no known field fits: named after the word that most of the texts share, never after a number or a name."""
    seen: dict[str, int] = {}
    for text in texts:
        for word in set(_PLAIN.findall(_remove_names(text))):
            if set(extract_keywords(word)) - _EMPTY:
                seen[word] = seen.get(word, 0) + 1
    shared = [word for word, count in seen.items() if count > 1 and len(word) > 3]
    distinctive = sorted(shared, key=lambda word: (-seen[word], -len(word), word))
    return (
        Domain(f"{distinctive[0]}-tasks", "", distinctive[0])
        if distinctive
        else Domain("general-methods", "通用方法", "")
    )


def _remove_names(text: str) -> str:
    """Without words that are written large in the middle of a sentence, and without anything that has a digit."""
    words = text.split()
    return " ".join(
        word.lower()
        for at, word in enumerate(words)
        if not re.search(r"\d", word) and (at == 0 or not word[:1].isupper())
    )
