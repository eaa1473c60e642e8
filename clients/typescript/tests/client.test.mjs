// Against the running server of ENGRAM_BASE_URL, with the built package.
import assert from "node:assert/strict";
import { test } from "node:test";

import { AuthenticationError, Engram, EngramError, InvalidRequest, NotFound } from "engram-console-client";

const client = new Engram();

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

test("what is added is found, listed, read, corrected and deleted", async () => {
  await client.wait(await client.add("I moved to Shanghai in June.", { user_id: "kim", conversation_id: "c" }));
  const found = await client.search("Which city does the user live in?", { user_id: "kim" });
  const [best] = found.memory_detail_list;
  assert.match(best.memory_value, /Shanghai/);
  assert.equal((await client.getMemory(best.id)).content, best.memory_value);
  assert.deepEqual((await all(client.getMemories({ user_id: "kim" }))).map((item) => item.id), [best.id]);
  assert.equal((await client.messages("c", { user_id: "kim" }))[0].content, "I moved to Shanghai in June.");
  await client.update(best.id, { title: "Home" });
  await client.wait(await client.feedback("I moved to Hangzhou in August.", { user_id: "kim", conversation_id: "c" }));
  await client.delete({ user_id: "kim" });
  assert.deepEqual(await all(client.getMemories({ user_id: "kim" })), []);
});

test("a text is kept word for word, and again", async () => {
  const text = "The spare key lies under the third flowerpot.";
  const kept = await client.addVerbatim(text, { user_id: "kit", info: { source: "note" }, idempotencyKey: "kept-once" });
  assert.equal(await client.addVerbatim(text, { user_id: "kit", info: { source: "note" }, idempotencyKey: "kept-once" }), kept);
  assert.notEqual(await client.addVerbatim(text, { user_id: "kit" }), kept);
  assert.equal((await client.getMemory(kept)).content, text);
});

test("configs of the project", async () => {
  await client.updateProjectConfigs({ team: "kitchen", floor: 2 });
  assert.equal((await client.updateProjectConfigs({ floor: null })).team, "kitchen");
  const configs = await client.getProjectConfigs();
  assert.deepEqual([configs.team, "floor" in configs], ["kitchen", false]);
});

test("a list goes on over all pages", async () => {
  for (const city of ["Porto", "Oslo", "Lima"]) {
    await client.wait(await client.add(`My friend ${city}ina lives in ${city}.`, { user_id: "lee" }));
  }
  const listed = await all(client.getMemories({ user_id: "lee", size: 1 }));
  assert.ok(listed.length >= 3);
  assert.equal(new Set(listed.map((item) => item.id)).size, listed.length);
});

test("chat answers whole and streamed, in any script", async () => {
  await client.wait(await client.add("我住在杭州。", { user_id: "li" }));
  const options = { user_id: "li", conversation_id: "c", add_message_on_answer: false };
  assert.match(await client.chat("我住在哪里？", options), /杭州/);
  const pieces = await all(client.streamChat("我住在哪里？", options));
  assert.match(pieces.map((piece) => piece.text).join(""), /杭州/);
});

test("extract and rerank", async () => {
  const extracted = await client.extract("I prefer short answers.");
  assert.match(extracted.preference_detail_list[0].preference, /short answers/);
  const ranked = await client.rerank("Does the user play badminton?", ["Lives in Porto.", "Plays badminton."], { top_n: 1 });
  assert.equal(ranked.results[0].index, 1);
});

test("knowledge bases take files", async () => {
  const base = await client.createKnowledgeBase("Travel");
  const [file] = await client.uploadFiles(base, [{ name: "hotels.md", content: new Blob(["# Hotels\n\n120 euros.\n"]) }]);
  await client.addFiles(base, [{ name: "rules.txt", content: "T25lIHJ1bGUuCg==" }]);
  assert.equal((await all(client.listFiles(base, { page_size: 1 }))).length, 2);
  assert.equal((await client.getFiles([file.id]))[0].name, "hotels.md");
  await client.deleteFiles([file.id]);
  await client.removeKnowledgeBase(base);
});

test("profiles", async () => {
  const template = await client.addProfileTemplate("Customer", { Basic: { City: { value: "" } } });
  await client.bindProfileTemplates([{ user_id: "lee", profile_template_id: template }]);
  await client.editProfile(template, { user_id: "lee", metadata: { Basic: { City: { value: "Porto" } } } });
  const page = await client.listMemories({ user_id: "lee", include_memory_view: ["profile"] });
  assert.equal(page.profile_detail_list[0].properties.Basic.City.value, "Porto");
  await client.updateProfileTemplate(template, { name: "Guest" });
  await client.deleteProfile(template, { user_id: "lee" });
  assert.equal((await client.deleteProfileTemplate(template)).deleted_instances, 0);
});

test("sessions and skills", async () => {
  const session = await client.createSession({ user: "kim" });
  await client.storeMessage(session.id, { role: "user", content: "My name is Gus" });
  await client.storeMessage(session.id, { role: "assistant", content: "Hello Gus" });
  const whole = await client.sessionMessages(session.id);
  const last = await client.sessionMessages(session.id, "openai", { limit: 1, newestFirst: true });
  const before = await client.sessionMessages(session.id, "openai", { limit: 1, newestFirst: true, cursor: last.next_cursor });
  assert.deepEqual(whole.items.map((one) => one.content), ["My name is Gus", "Hello Gus"]);
  assert.deepEqual([...last.items, ...before.items].map((one) => one.content), ["Hello Gus", "My name is Gus"]);
  assert.equal((await client.updateMessageMeta(session.id, last.ids[0], { seen: true })).seen, true);
  assert.ok((await all(client.listSessions("kim"))).some((one) => one.id === session.id));
  assert.ok([200, 202].includes((await client.flushSession(session.id)).status));
  assert.ok(Array.isArray(await all(client.sessionTasks(session.id))));
  await client.deleteSession(session.id);
  const archive = new Blob([Buffer.from(process.env.SKILL_ZIP, "base64")]);
  const skill = await client.uploadSkill(archive, { user: "kim", meta: { team: "kitchen" } });
  assert.deepEqual((await all(client.listSkills("kim"))).map((one) => one.id), [skill.id]);
  assert.match((await client.getSkillFile(skill.id)).content.raw, /Boil water/);
  assert.equal(Buffer.from(await client.downloadSkill(skill.id)).subarray(0, 2).toString(), "PK");
  await client.deleteSkill(skill.id);
  await assert.rejects(client.getSkill(skill.id), NotFound);
});

test("refusals name code, field, cure and request", async () => {
  await assert.rejects(client.search("x", { user_id: "kim", memory_limit_number: 999 }), (error) => {
    assert.ok(error instanceof InvalidRequest);
    assert.deepEqual([error.code, error.status, error.field], [40000, 400, "memory_limit_number"]);
    assert.ok(error.cure && error.requestId && error.message.includes(error.requestId));
    return true;
  });
  await assert.rejects(new Engram({ apiKey: "mpg-wrong" }).ping(), AuthenticationError);
  assert.throws(() => new Engram({ baseUrl: "engram.example" }), EngramError);
});
