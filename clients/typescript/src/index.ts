/** Client of Engram: memories, chat, knowledge bases, profiles, skills and sessions. */

import type * as t from "./types.ts";

export type * from "./types.ts";

const MEMORIES = "/api/openmem/v1/";
const SKILLS = "/api/v1/";
const CONSOLE = "/api/console/v1/";
const VERBATIM = "/api/mem0/v3/memories/add/";
const VERSION = "0.2.0";
const MAX_PAGE = 50;
// Seconds. A longer Retry-After means a quota of a month, which an error says better than silence.
const LONGEST_WAIT = 30;
const FIRST_BACKOFF = 0.5;
const LONGEST_BACKOFF = 8;
const FIRST_LOOK = 0.1;
const LONGEST_LOOK = 2;

export interface Settings {
  /** Else the environment's ENGRAM_API_KEY. */
  apiKey?: string;
  /** Else the environment's ENGRAM_BASE_URL, else http://localhost:8000. */
  baseUrl?: string;
  /** Time limit of one try until its answer begins, in seconds. 60 unless said otherwise. */
  timeout?: number;
  /** Tries beside the first one. 3 unless said otherwise. */
  retries?: number;
}

export interface Write {
  /** A name for this write: sent again, it is answered as before and not done twice. */
  idempotencyKey?: string;
}

export interface VerbatimOptions {
  user_id?: string;
  agent_id?: string;
  info?: Record<string, unknown>;
}

export interface ChatPiece {
  type: "text" | "reasoning";
  text: string;
}

export interface Upload {
  name: string;
  content: Blob;
}

export interface ChatOptions extends t.ChatOptions, Write {
  user_id: string;
  conversation_id: string;
}

export interface UsageOptions {
  /** A day like 2026-01-31 (UTC). */
  first_day?: string;
  last_day?: string;
  group_by?: "api" | "day" | "key";
  key_id?: string;
}

export interface LogFilters {
  endpoint?: string;
  outcome?: "ok" | "refused" | "broken";
  user_id?: string;
  agent_id?: string;
  /** ISO 8601 with a zone. */
  since?: string;
  until?: string;
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
  /** The `after` of the answer before. */
  after?: string;
}

export interface StoreOptions {
  format?: string;
  meta?: Record<string, unknown>;
}

export interface MessagePage {
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
  newestFirst?: boolean;
}

export type Listed = t.ListedFact | t.ListedPreference | t.ListedTool;

/** Anything that this client throws. */
export class EngramError extends Error {
  name = "EngramError";
}

/** The server could not be reached, or broke off. */
export class ConnectionFailed extends EngramError {
  name = "ConnectionFailed";
}

/** No answer came in time. */
export class TimedOut extends ConnectionFailed {
  name = "TimedOut";
}

/** A task that was waited for failed. */
export class TaskFailed extends EngramError {
  name = "TaskFailed";
}

/** A streamed answer broke off; what came before has been yielded. */
export class StreamFailed extends EngramError {
  name = "StreamFailed";
}

/** A refusal: `code` of Engram's error list (of the skills API the HTTP status), the sentence, what to do about it. */
export class APIError extends EngramError {
  name = "APIError";
  readonly status: number;
  readonly code: number;
  readonly sentence: string;
  readonly cure: string;
  /** The part of the request that is meant, or empty. */
  readonly field: string;
  readonly requestId: string;
  /** Seconds, where the server said so. */
  readonly retryAfter: number | null;

  constructor(status: number, code: number, sentence: string, field: string, headers: Headers) {
    const cure = headers.get("X-Engram-Remedy") ?? "";
    const requestId = headers.get("X-Request-Id") ?? "";
    super([`[${code}] ${sentence}`, cure, requestId && `request ${requestId}`].filter(Boolean).join(" · "));
    this.status = status;
    this.code = code;
    this.sentence = sentence;
    this.field = field;
    this.cure = cure;
    this.requestId = requestId;
    const seconds = headers.get("Retry-After") ?? "";
    this.retryAfter = /^[0-9]{1,9}$/.test(seconds) ? Number(seconds) : null;
  }
}

/** The key is missing, wrong, expired, or may not do this. */
export class AuthenticationError extends APIError {
  name = "AuthenticationError";
}

/** The request can be put right by the caller. */
export class InvalidRequest extends APIError {
  name = "InvalidRequest";
}

/** What an id names is not there, or the address is unknown. */
export class NotFound extends InvalidRequest {
  name = "NotFound";
}

/** Something is at work on the same thing, or the request contradicts what is there. */
export class ConflictError extends InvalidRequest {
  name = "ConflictError";
}

/** A rate or a monthly quota is used up. */
export class RateLimited extends APIError {
  name = "RateLimited";
}

/** A fault of the server. */
export class ServerError extends APIError {
  name = "ServerError";
}

interface Call {
  method: string;
  path: string;
  body?: object;
  form?: FormData;
  params?: Record<string, string | number | boolean | null | undefined>;
  key?: string;
  /** Whether sending it twice does no harm once it may have arrived. */
  isRepeatable: boolean;
}

/** The client of one project. All methods throw `EngramError`s. */
export class Engram {
  readonly baseUrl: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #retries: number;

  constructor(settings: Settings = {}) {
    const environment = environmentOf();
    this.#key = settings.apiKey || environment["ENGRAM_API_KEY"] || "";
    if (!this.#key) throw new EngramError("No API key: pass apiKey, or set ENGRAM_API_KEY.");
    const url = settings.baseUrl || environment["ENGRAM_BASE_URL"] || "http://localhost:8000";
    this.baseUrl = url.trim().replace(/\/+$/, "").replace(/\/api\/((openmem|console)\/)?v1$/, "");
    if (!/^https?:\/\//.test(this.baseUrl)) throw new EngramError(`The base URL must begin with http:// or https://: ${url}`);
    this.#timeout = settings.timeout ?? 60;
    this.#retries = settings.retries ?? 3;
  }

  /** Check that the server is there and takes the key. */
  async ping(): Promise<t.Success> {
    return this.#data({ method: "GET", path: MEMORIES + "ping", isRepeatable: true });
  }

  /** Store messages, of which memories are made; a text is one message of the user. */
  async add(messages: string | t.MessageBody[], options: t.AddOptions & Write = {}): Promise<t.TaskAnswer> {
    return this.#write("add/message", { ...options, messages: messagesOf(messages) });
  }

  /**
   * Keep a text word for word as one frozen memory, and nothing else of it; the id of the memory.
   *
   * Nothing that is said later rewords or replaces it, and a text that is kept already is kept again. Throws
   * `EngramError` where the project's extraction policies forbid the text.
   */
  async addVerbatim(text: string, options: VerbatimOptions & Write = {}): Promise<string> {
    const { idempotencyKey, info, ...owner } = options;
    const key = idempotencyKey ?? crypto.randomUUID();
    // A run of its own keeps a text apart from the same text kept before.
    const run = `verbatim-${key}`.slice(0, 100);
    const body = { ...owner, messages: text, metadata: info, infer: false, immutable: true, run_id: run };
    const answer: { results: { id: string }[] } = await this.#data({ method: "POST", path: VERBATIM, body, key, isRepeatable: true });
    if (!answer.results[0]) throw new EngramError("Nothing was stored: the project's extraction policies forbid this text.");
    return answer.results[0].id;
  }

  /** Find what matters to a question, the best first. */
  async search(query: string, options: t.SearchOptions = {}): Promise<t.SearchAnswer> {
    return this.#read("search/memory", { ...options, query });
  }

  /** One page of what is remembered, newest first. */
  async listMemories(options: t.PageOptions = {}): Promise<t.MemoryPage> {
    return this.#read("get/memory", options);
  }

  /** All that is remembered, page by page; `size` is the size of a page. */
  async *getMemories(options: t.ListOptions = {}): AsyncGenerator<Listed> {
    for (let page = 1; ; page += 1) {
      const answer = await this.listMemories({ ...options, size: options.size ?? MAX_PAGE, page });
      yield* answer.memory_detail_list;
      yield* answer.preference_detail_list;
      yield* answer.tool_memory_detail_list;
      if (page >= answer.pages) return;
    }
  }

  /** One memory with its sources and its history. */
  async getMemory(memoryId: string): Promise<t.MemoryWhole> {
    return this.#data({ method: "GET", path: `${MEMORIES}get/memory/${encodeURIComponent(memoryId)}`, isRepeatable: true });
  }

  /** Change the words, title, state, tags or info of a memory by hand. */
  async update(memoryId: string, options: t.UpdateOptions & Write): Promise<t.Success> {
    return this.#write("update/memory", { ...options, memory_id: memoryId });
  }

  /** Delete for good: the memories of `memory_ids`, or everything of one `user_id` or `agent_id`. */
  async delete(options: t.DeleteOptions & Write): Promise<t.Success> {
    return this.#write("delete/memory", options);
  }

  /** Correct what is remembered, in a person's own words. */
  async feedback(content: string, options: t.FeedbackOptions & Write = {}): Promise<t.TaskAnswer> {
    return this.#write("add/feedback", { ...options, feedback_content: content });
  }

  /** How far a task is. */
  async status(taskId: string): Promise<t.TaskStatus> {
    return this.#read("get/status", { task_id: taskId });
  }

  /** Wait until a task is completed; `timeout` in seconds. Throws `TaskFailed` or `TimedOut`. */
  async wait(task: string | t.TaskAnswer, timeout = 60): Promise<t.TaskStatus> {
    const taskId = typeof task === "string" ? task : task.task_id;
    const end = performance.now() + timeout * 1000;
    for (let pause = FIRST_LOOK; ; pause = Math.min(LONGEST_LOOK, pause * 2)) {
      const status = await this.status(taskId);
      if (status.status === "completed") return status;
      if (status.status === "failed") throw new TaskFailed(`Task ${taskId} failed; the console's logs say why.`);
      if (performance.now() + pause * 1000 > end) throw new TimedOut(`Task ${taskId} is still running after ${timeout} seconds.`);
      await sleep(pause);
    }
  }

  /** The last messages of a conversation, in order. */
  async messages(conversationId: string, options: t.MessageOptions = {}): Promise<t.StoredMessage[]> {
    const answer: t.MessageAnswer = await this.#read("get/message", { ...options, conversation_id: conversationId });
    return answer.message_detail_list;
  }

  /** Answer what an end user says, from what is remembered, and remember the turn. */
  async chat(query: string, options: ChatOptions): Promise<string> {
    const answer: t.ChatAnswer = await this.#write("chat", { ...options, query });
    return answer.response;
  }

  /** The answer piece by piece. Throws `StreamFailed` where the model broke off. */
  async *streamChat(query: string, options: ChatOptions): AsyncGenerator<ChatPiece> {
    const { idempotencyKey: _, ...body } = { ...options, query, stream: true };
    const response = await this.#send({ method: "POST", path: MEMORIES + "chat", body, isRepeatable: false });
    let isComplete = false;
    try {
      for await (const line of linesOf(response)) {
        if (!line.startsWith("data:")) continue;
        const event = JSON.parse(line.slice(5)) as { type: string; data: string };
        if (event.type === "error") throw new StreamFailed(event.data);
        if (event.type === "end") isComplete = true;
        if (event.type === "text" || event.type === "reasoning") yield { type: event.type, text: event.data };
      }
    } catch (fault) {
      if (fault instanceof EngramError) throw fault;
      throw new ConnectionFailed(`The connection was lost in the middle of the answer: ${String(fault)}`);
    }
    if (!isComplete) throw new ConnectionFailed("The connection was closed in the middle of the answer.");
  }

  /** What would be remembered of messages; nothing is stored. */
  async extract(messages: string | t.MessageBody[], options: t.ExtractOptions = {}): Promise<t.ExtractAnswer> {
    return this.#read("extract/memory", { ...options, messages: messagesOf(messages) });
  }

  /** Texts in the order in which they answer a query. */
  async rerank(query: string, documents: string[], options: t.RerankOptions = {}): Promise<t.RerankAnswer> {
    return this.#read("rerank", { ...options, query, documents });
  }

  /** Make a knowledge base that is linked to the project; its id. */
  async createKnowledgeBase(name: string, description = "", options: Write = {}): Promise<string> {
    const body = { ...options, knowledgebase_name: name, knowledgebase_description: description };
    const answer: t.BaseCreated = await this.#write("create/knowledgebase", body);
    return answer.id;
  }

  /** Take a knowledge base out of the project; its files stay. */
  async removeKnowledgeBase(knowledgebaseId: string, options: Write = {}): Promise<t.Success> {
    return this.#write("delete/knowledgebase", { ...options, knowledgebase_id: knowledgebaseId });
  }

  /** Add files as addresses, data URLs or Base64. */
  async addFiles(knowledgebaseId: string, files: t.FileBody[], options: { type?: string } & Write = {}): Promise<t.FileAdded[]> {
    return this.#write("add/knowledgebase-file", { ...options, knowledgebase_id: knowledgebaseId, file: files });
  }

  /** Upload files as they are. */
  async uploadFiles(knowledgebaseId: string, files: Upload[], options: { type?: string } & Write = {}): Promise<t.FileAdded[]> {
    const form = new FormData();
    for (const file of files) form.append("file", file.content, file.name);
    const params = { knowledgebase_id: knowledgebaseId, type: options.type };
    const key = options.idempotencyKey ?? crypto.randomUUID();
    return this.#data({ method: "POST", path: MEMORIES + "add/knowledgebase-file", form, params, key, isRepeatable: true });
  }

  /** All files of a knowledge base with the step that each is at, page by page. */
  async *listFiles(knowledgebaseId: string, options: { type?: string; page_size?: number } = {}): AsyncGenerator<t.FileDetail> {
    for (let page = 1; ; page += 1) {
      const body = { page_size: 100, ...options, knowledgebase_id: knowledgebaseId, page };
      const answer: t.FilePage = await this.#read("get/knowledgebase-file", body);
      yield* answer.file_detail_list;
      if (page * answer.page_size >= answer.total) return;
    }
  }

  /** Files by their ids. */
  async getFiles(fileIds: string[]): Promise<t.FileDetail[]> {
    const answer: t.FilePage = await this.#read("get/knowledgebase-file", { file_ids: fileIds });
    return answer.file_detail_list;
  }

  /** Delete files with what was read from them: all, or none where an id is unknown. */
  async deleteFiles(fileIds: string[], options: Write = {}): Promise<t.Success> {
    return this.#write("delete/knowledgebase-file", { ...options, file_ids: fileIds });
  }

  /** Make a profile template of categories, fields and subfields; its id. */
  async addProfileTemplate(name: string, metadata: Record<string, unknown>, options: Write = {}): Promise<string> {
    const answer: t.TemplateAnswer = await this.#write("add/profile_template", { ...options, name, metadata });
    return answer.profile_template_id;
  }

  /** Change a template, and with it every profile of it. */
  async updateProfileTemplate(templateId: string, options: t.TemplateOptions & Write): Promise<t.TemplateChanged> {
    return this.#write("update/profile_template", { ...options, profile_template_id: templateId });
  }

  /** Delete a template with its profiles. */
  async deleteProfileTemplate(templateId: string, options: Write = {}): Promise<t.TemplateDeleted> {
    return this.#write("delete/profile_template", { ...options, profile_template_id: templateId });
  }

  /** Give subjects profiles of templates: all, or none. */
  async bindProfileTemplates(bindList: t.BindingBody[], options: Write = {}): Promise<t.Success> {
    return this.#write("bind/profile_template", { ...options, bind_list: bindList });
  }

  /** Add, change, lock and remove fields of one profile. */
  async editProfile(templateId: string, options: t.ProfileOptions & Write): Promise<t.Success> {
    return this.#write("edit/profile", { ...options, profile_template_id: templateId });
  }

  /** Delete one profile. */
  async deleteProfile(templateId: string, options: t.ProfileSubject & Write): Promise<t.Success> {
    return this.#write("delete/profile", { ...options, profile_template_id: templateId });
  }

  /** All skills, or those of one person, page by page. */
  async *listSkills(user?: string): AsyncGenerator<t.Skill> {
    yield* this.#items<t.Skill>("agent_skills", { user });
  }

  /** A skill with the list of its files. */
  async getSkill(skillId: string): Promise<t.Skill> {
    return this.#skills("GET", `agent_skills/${encodeURIComponent(skillId)}`);
  }

  /** A file of a skill: `content` of a text, else the `url` of the file. */
  async getSkillFile(skillId: string, filePath = "SKILL.md"): Promise<t.FileContent> {
    return this.#skills("GET", `agent_skills/${encodeURIComponent(skillId)}/file`, { params: { file_path: filePath } });
  }

  /** Upload a skill as a ZIP archive. */
  async uploadSkill(archive: Blob, options: { user?: string; meta?: Record<string, unknown> } = {}): Promise<t.Skill> {
    const form = new FormData();
    if (options.user !== undefined) form.append("user", options.user);
    if (options.meta !== undefined) form.append("meta", JSON.stringify(options.meta));
    form.append("file", archive, "skill.zip");
    return this.#skills("POST", "agent_skills", { form });
  }

  /** A skill as a ZIP archive. */
  async downloadSkill(skillId: string): Promise<Uint8Array> {
    const path = `${SKILLS}agent_skills/${encodeURIComponent(skillId)}/download_zip`;
    const response = await this.#send({ method: "GET", path, isRepeatable: true });
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Delete a skill. */
  async deleteSkill(skillId: string): Promise<void> {
    await this.#skills("DELETE", `agent_skills/${encodeURIComponent(skillId)}`);
  }

  /** Begin a session, whose messages are read for tasks and lessons. */
  async createSession(options: t.SessionOptions = {}): Promise<t.Session> {
    return this.#skills("POST", "session", { body: options });
  }

  /** All sessions, or those of one person, page by page. */
  async *listSessions(user?: string): AsyncGenerator<t.Session> {
    yield* this.#items<t.Session>("session", { user });
  }

  /** Delete a session with its messages. */
  async deleteSession(sessionId: string): Promise<void> {
    await this.#skills("DELETE", `session/${encodeURIComponent(sessionId)}`);
  }

  /** Store a message of a session, in the format openai, acontext or anthropic. */
  async storeMessage(sessionId: string, blob: Record<string, unknown>, options: StoreOptions = {}): Promise<t.SessionMessage> {
    return this.#skills("POST", `session/${encodeURIComponent(sessionId)}/messages`, { body: { ...options, blob } });
  }

  /** Messages of a session in their order, the first or the last: up to `limit` of 200, else up to 1,000 and 8 MB. */
  async sessionMessages(sessionId: string, format?: string, page: MessagePage = {}): Promise<t.SessionMessagePage> {
    const params = { format, limit: page.limit, cursor: page.cursor, time_desc: page.newestFirst || undefined };
    return this.#skills("GET", `session/${encodeURIComponent(sessionId)}/messages`, { params });
  }

  /** Change a message's own `meta`, and give all of it; null removes a name. */
  async updateMessageMeta(sessionId: string, messageId: string, changes: Record<string, unknown>): Promise<Record<string, unknown>> {
    const path = `session/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(messageId)}/meta`;
    const answer: { meta: Record<string, unknown> } = await this.#skills("PATCH", path, { body: { meta: changes } });
    return answer.meta;
  }

  /** The tasks that were found in a session, page by page. */
  async *sessionTasks(sessionId: string): AsyncGenerator<t.SessionTask> {
    yield* this.#items<t.SessionTask>(`session/${encodeURIComponent(sessionId)}/task`, {});
  }

  /** Have the waiting messages of a session read now. */
  async flushSession(sessionId: string): Promise<t.FlushAnswer> {
    return this.#skills("POST", `session/${encodeURIComponent(sessionId)}/flush`);
  }

  /** Criteria of tasks, and whatever else the project keeps there. */
  async getProjectConfigs(): Promise<Record<string, unknown>> {
    return this.#skills("GET", "project/configs");
  }

  /** Change configs of the project; null removes one. All of them are answered. */
  async updateProjectConfigs(changes: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#skills("PATCH", "project/configs", { body: changes });
  }

  /** The project's API keys, newest first. */
  async listKeys(options: { include_ended?: boolean } = {}): Promise<t.Key[]> {
    const answer: t.KeyList = await this.#console("GET", "keys", { params: { include_ended: options.include_ended } });
    return answer.keys;
  }

  /** Make a key; `api_key` of the answer is the key itself, which is never shown again. */
  async createKey(name: string, scopes: string[], options: t.KeyOptions = {}): Promise<t.CreatedKey> {
    return this.#console("POST", "keys", { body: { ...options, name, scopes } });
  }

  /** Revoke a key, within a second. */
  async revokeKey(keyId: string): Promise<void> {
    await this.#console("DELETE", `keys/${encodeURIComponent(keyId)}`);
  }

  /** What the project used, this month unless days are named, and what the account has left. */
  async usage(options: UsageOptions = {}): Promise<t.Usage> {
    return this.#console("GET", "usage", { params: { ...options } });
  }

  /** One page of the request log, newest first, or what came `after` an answer, oldest first. */
  async listRequests(filters: LogFilters = {}): Promise<t.LogPage> {
    return this.#console("GET", "logs", { params: { ...filters } });
  }

  /** A logged request with bodies and trace. */
  async getRequest(requestId: string): Promise<t.LogDetail> {
    return this.#console("GET", `logs/${encodeURIComponent(requestId)}`);
  }

  #console<Answer>(method: string, path: string, more: Partial<Call> = {}): Promise<Answer> {
    return this.#data({ method, path: CONSOLE + path, isRepeatable: method !== "POST", ...more });
  }

  #read<Answer>(path: string, body: object): Promise<Answer> {
    return this.#data({ method: "POST", path: MEMORIES + path, body, isRepeatable: true });
  }

  #write<Answer>(path: string, options: object & Write): Promise<Answer> {
    const { idempotencyKey, ...body } = options;
    return this.#data({ method: "POST", path: MEMORIES + path, body, key: idempotencyKey ?? crypto.randomUUID(), isRepeatable: true });
  }

  #skills<Answer>(method: string, path: string, more: Partial<Call> = {}): Promise<Answer> {
    return this.#data({ method, path: SKILLS + path, isRepeatable: method === "GET", ...more });
  }

  async *#items<Item>(path: string, params: Record<string, string | undefined>): AsyncGenerator<Item> {
    let cursor: string | undefined;
    do {
      const page: { items: Item[]; has_more: boolean; next_cursor?: string } = await this.#skills("GET", path, {
        params: { ...params, limit: 200, cursor },
      });
      yield* page.items;
      cursor = page.has_more ? page.next_cursor : undefined;
    } while (cursor);
  }

  async #data<Answer>(call: Call): Promise<Answer> {
    const response = await this.#send(call);
    const text = await response.text();
    try {
      const body = JSON.parse(text);
      return "code" in body && "data" in body ? body.data : body;
    } catch {
      throw new EngramError(`${response.url} answered something that is not JSON: is this Engram?`);
    }
  }

  async #send(call: Call): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#try(call, attempt);
      if (typeof outcome !== "number") return outcome;
      await sleep(outcome);
    }
  }

  /** Send a call once: the answer, or for how many seconds to wait before the next try. */
  async #try(call: Call, attempt: number): Promise<Response | number> {
    const url = new URL(this.baseUrl + call.path);
    for (const [name, value] of Object.entries(call.params ?? {})) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}` };
    if (call.body) headers["Content-Type"] = "application/json";
    if (call.key) headers["Idempotency-Key"] = call.key;
    if (typeof process !== "undefined") headers["User-Agent"] = `engram-console-client/${VERSION} node/${process.version}`;
    const body = call.form ?? (call.body ? JSON.stringify(call.body) : undefined);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#timeout * 1000);
    const mayRepeat = attempt < this.#retries;
    let response: Response;
    try {
      response = await fetch(url, { method: call.method, headers, body, redirect: "manual", signal: limit.signal });
    } catch (fault) {
      if (mayRepeat && (call.isRepeatable || neverArrived(fault))) return backoff(attempt);
      if (limit.signal.aborted) throw new TimedOut(`No answer from ${url.origin} in time.`);
      throw new ConnectionFailed(`Could not reach ${url.origin}: ${reasonOf(fault)}`);
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return response;
    const error = errorOf(response, await response.text(), Object.keys(call.body ?? call.params ?? {}));
    const isPassing = error instanceof RateLimited || (call.isRepeatable && (error instanceof ServerError || (error.status === 409 && attempt > 0)));
    if (!isPassing || !mayRepeat) throw error;
    if (error.retryAfter === null) return backoff(attempt);
    if (error.retryAfter > LONGEST_WAIT) throw error;
    return error.retryAfter;
  }
}

function environmentOf(): Record<string, string | undefined> {
  return typeof process === "undefined" ? {} : process.env;
}

function messagesOf(messages: string | t.MessageBody[]): t.MessageBody[] {
  return typeof messages === "string" ? [{ role: "user", content: messages }] : messages;
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Seconds: doubled with each try, with jitter. */
function backoff(attempt: number): number {
  return Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** attempt) * (0.5 + Math.random() / 2);
}

function reasonOf(fault: unknown): string {
  const cause = fault instanceof Error ? (fault.cause ?? fault) : fault;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** A connection that was never made has brought nothing to the server. */
function neverArrived(fault: unknown): boolean {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"].includes(code);
}

function errorOf(response: Response, text: string, fields: string[]): APIError {
  let code = response.status;
  let sentence = "";
  try {
    const body = JSON.parse(text);
    if (typeof body.code === "number") code = body.code;
    sentence = String(body.message || body.msg || "");
  } catch {
    // Not from Engram, but from a proxy in front of it: the status says what there is to say.
  }
  if (!sentence) {
    sentence = `HTTP ${response.status} from ${response.url}`;
    if (response.headers.has("Location")) sentence += `, which leads to ${response.headers.get("Location")}: check the base URL`;
  }
  const named = /: (([a-z_]+)(?:\[\d+\]|\.\w+)*)(?=$|[:\s])/.exec(sentence);
  const field = named && fields.includes(named[2]!) ? named[1]! : "";
  return new (kindOf(response.status, code))(response.status, code, sentence, field, response.headers);
}

function kindOf(status: number, code: number): typeof APIError {
  if (status === 401 || status === 403) return AuthenticationError;
  if (status === 429) return RateLimited;
  if (status === 409) return ConflictError;
  if (status >= 500) return ServerError;
  return status === 404 || code === 40001 ? NotFound : InvalidRequest;
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop()!;
      yield* lines;
      if (done) break;
    }
    if (rest) yield rest;
  } finally {
    await reader.cancel();
  }
}
