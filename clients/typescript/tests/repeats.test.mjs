// Against a server that answers what REPEATS names, one call for each.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as engram from "engram-console-client";

const client = new engram.Engram({ apiKey: "mpg-x", timeout: 5 });

for (const { name, call, error } of JSON.parse(process.env.REPEATS)) {
  test(name, async () => {
    const calls = {
      add: () => client.add("I live in Porto.", { user_id: "kim" }),
      session: () => client.createSession({ user: "kim" }),
      stream: async () => {
        for await (const piece of client.streamChat("Where?", { user_id: "kim", conversation_id: "c" })) assert.ok(piece);
      },
      wait: () => client.wait("t1", 0.3),
    };
    if (error) await assert.rejects(calls[call](), engram[error]);
    else await calls[call]();
  });
}
