// Calls mem0's published TypeScript client. Standard input has a JSON object, standard output gets one JSON line, as of
// published_client.py: {"folder", "host", "key", "calls": [[name, [arguments]], ..]}.
const { createRequire } = require("node:module");

function filled(value, answers) {
  if (typeof value === "string" && value.startsWith("$")) {
    let found = answers;
    for (const step of value.slice(1).split(".")) {
      found = found[step];
      if (found !== null && typeof found === "object" && "answer" in found) found = found.answer;
    }
    return found;
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, answers));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, answers)]));
}

async function main() {
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  const wanted = JSON.parse(Buffer.concat(pieces).toString());
  const { MemoryClient } = createRequire(`${wanted.folder}/`)("mem0ai");
  const client = new MemoryClient({ apiKey: wanted.key, host: wanted.host });
  const answers = [];
  for (const [name, given] of wanted.calls) {
    try {
      answers.push({ answer: (await client[name](...filled(given, answers))) ?? null });
    } catch (fault) {
      answers.push({ raised: fault.constructor.name, text: String(fault.message) });
    }
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`, () => process.exit(0));
}

main();
