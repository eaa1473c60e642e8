// The published AI SDK with its own model for tests; prints what was seen as JSON.
import { generateText, isStepCount, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { Engram } from "engram-console-client";
import { memoryMiddleware, memoryTools } from "engram-console-client/ai-sdk";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: "stop", raw: "stop" };
const client = new Engram({ retries: 0 });
const kim = { user_id: "kim", conversation_id: "dinner" };
const seen = [];

const say = (text) => ({ content: [{ type: "text", text }], finishReason: stop, usage, warnings: [] });
const call = (toolName, input) => ({
  content: [{ type: "tool-call", toolCallId: "c1", toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls", raw: "tool_calls" },
  usage,
  warnings: [],
});

function model(answers, owner, options, engram = client) {
  const mock = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      seen.push(prompt);
      return answers.shift();
    },
    doStream: async ({ prompt }) => {
      seen.push(prompt);
      const chunks = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "1" },
        ...answers.map((delta) => ({ type: "text-delta", id: "1", delta })),
        { type: "text-end", id: "1" },
        { type: "finish", finishReason: stop, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  return wrapLanguageModel({ model: mock, middleware: memoryMiddleware(engram, owner, options) });
}

const textsOf = (prompt) => prompt.map((message) => [message.role, ...[message.content].flat().map((part) => part.text ?? part.type ?? part)]);
const find = async (query) => JSON.stringify(await client.search(query, { user_id: "kim", relativity: 0 }));
const wait = async () => client.wait(await client.add("Bye.", { user_id: "kim", async_mode: false }));

const results = {};
await generateText({ model: model([say("Noted.")], kim), prompt: "I am allergic to peanuts." });
await wait();
const second = model([call("search_memory", { query: "What must the user not eat?" }), say("No peanuts.")], { user_id: "kim" });
const answer = await generateText({
  model: second,
  system: "Be brief.",
  prompt: "What must I not eat?",
  tools: memoryTools(client, kim),
  stopWhen: isStepCount(3),
});
results.answer = answer.text;
results.tool = answer.steps[0].toolResults[0].output;
results.prompts = seen.slice(0, 3).map(textsOf);

await generateText({ model: model([say("Who knows.")], { user_id: "lee" }), prompt: "What must I not eat?" });
results.stranger = textsOf(seen.at(-1));

const streamed = streamText({ model: model(["You ", "cook."], kim), prompt: "I learn to cook risotto." });
results.streamed = "";
for await (const text of streamed.textStream) results.streamed += text;
results.remembered = await find("risotto");

await generateText({ model: model([say("Fine.")], kim, { recall: false, remember: false }), prompt: "I own a zebra." });
results.off = [textsOf(seen.at(-1)), await find("zebra")];

const saved = await generateText({
  model: model([call("remember", { statement: "I was born in Porto." }), say("Done.")], kim, { remember: false }),
  prompt: "Remember where I was born.",
  tools: memoryTools(client, kim),
  stopWhen: isStepCount(3),
});
results.saved = [saved.steps[0].toolResults[0].output, await find("born")];

const wrong = new Engram({ apiKey: "mpg-wrong", retries: 0 });
results.error = await generateText({ model: model([say("x")], kim, {}, wrong), prompt: "Hello", maxRetries: 0 }).then(
  () => "",
  (fault) => `${fault.name} ${fault.message}`,
);
const broken = streamText({
  model: model(["x"], kim, { recall: false }, wrong),
  prompt: "Hello",
  maxRetries: 0,
  onError: ({ error }) => (results.streamError = `${error.name} ${error.message}`),
});
await broken.consumeStream();
console.log(JSON.stringify(results));
