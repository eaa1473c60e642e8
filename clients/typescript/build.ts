/**
 * Writes dist/: JavaScript by Node's own type stripping, and the declarations that are left when bodies are dropped.
 *
 *     node build.ts [folder]        (Node 22.18 or newer)
 *
 * There is no compiler and nothing to install. The sources therefore use erasable types only, every exported signature states its
 * types on one line, and a body ends with a brace that stands as deep as its signature.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { pathToFileURL } from "node:url";

const here = new URL(".", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, here), "utf8");

/** Declarations of a module: exported types as they are, exported functions and classes without bodies and private members. */
export function declarationsOf(source: string): string {
  const kept: string[] = [];
  let inside = ""; // "", "type" or "class": which exported block is being read
  let skippedUntil = ""; // the line that ends a body
  let comment: string[] = [];
  for (const line of source.split("\n")) {
    if (skippedUntil) {
      if (line === skippedUntil) skippedUntil = "";
    } else if (/^\s*(\/\*\*.*\*\/|\/\*\*|\*\/| \*.*)$/.test(line)) {
      comment.push(line);
    } else if (inside === "type") {
      kept.push(...comment.splice(0), line);
      if (line === "}") inside = "";
    } else if (inside === "class") {
      if (line === "}") {
        kept.push(line);
        inside = "";
      } else if (/^  (readonly )?#|^  async \*?#/.test(line)) {
        comment = [];
        if (line.endsWith("{")) skippedUntil = "  }";
      } else if (line.endsWith(" {")) {
        const signature = line.slice(0, -2).replace(/^  async \*?/, "  ").replace(/(\w+)( = [^,)]+)/g, optionalParameter);
        kept.push(...comment.splice(0), `${signature};`);
        skippedUntil = "  }";
      } else if (line.trim()) {
        kept.push(...comment.splice(0), line.replace(/^  (\w+) = ("[^"]*");$/, "  name: string;"));
      } else {
        kept.push(line);
      }
    } else if (/^export interface .*\{$/.test(line)) {
      kept.push(...comment.splice(0), line);
      inside = "type";
    } else if (/^export class .*\{$/.test(line)) {
      kept.push(...comment.splice(0), line.replace("export class", "export declare class"));
      inside = "class";
    } else if (/^export function .*\{$/.test(line)) {
      kept.push(...comment.splice(0), line.replace("export function", "export declare function").replace(/ \{$/, ";"));
      skippedUntil = "}";
    } else if (/^(import type|export type) /.test(line)) {
      kept.push(...comment.splice(0), line.replace(/"(\.\/\w+)\.ts"/, '"$1.js"'));
    } else {
      comment = [];
    }
  }
  return kept.join("\n") + "\n";
}

/** `timeout = 60` is `timeout?: number` to callers; a parameter that states its type loses its default only. */
function optionalParameter(whole: string, name: string, value: string): string {
  const plain = value.slice(3);
  if (/^\d+$/.test(plain)) return `${name}?: number`;
  if (/^"/.test(plain)) return `${name}?: string`;
  return whole;
}

if (import.meta.main ?? process.argv[1]?.endsWith("build.ts")) {
  const target = new URL(process.argv[2] ? `${pathToFileURL(process.argv[2])}/` : "dist/", here);
  const write = (name: string, content: string): void => writeFileSync(new URL(name, target), content);
  mkdirSync(target, { recursive: true });
  for (const name of ["index", "ai-sdk"]) {
    const source = read(`src/${name}.ts`);
    write(`${name}.js`, stripTypeScriptTypes(source).replace(/[ \t]+$/gm, ""));
    const declarations = declarationsOf(source).replace(/(\w+)(: [^,()]*(?:\{[^}]*\})?[^,()]*) = \{\}/g, "$1?$2");
    write(`${name}.d.ts`, declarations);
  }
  write("types.d.ts", read("src/types.ts"));
}
