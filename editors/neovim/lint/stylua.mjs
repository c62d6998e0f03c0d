// Formats the Lua files of the folders given, by StyLua; with --check it only tells which ones would change.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, ...rest] = process.argv.slice(2);
const check = rest.includes("--check");
const stylua = createRequire(join(modules, "package.json"))("@johnnymorganz/stylua");

function config() {
  const made = stylua.Config.new();
  made.column_width = 120;
  made.indent_type = stylua.IndentType.Spaces;
  made.indent_width = 2;
  return made;
}

function* luaFiles(path) {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) {
      yield* luaFiles(join(path, name));
    }
  } else if (path.endsWith(".lua")) {
    yield path;
  }
}

let changed = 0;
for (const path of rest.filter((each) => !each.startsWith("--")).flatMap((each) => [...luaFiles(each)])) {
  const before = readFileSync(path, "utf8");
  const after = stylua.formatCode(before, config(), undefined, stylua.OutputVerification.Full);
  if (before !== after) {
    changed += 1;
    console.log(`${check ? "would change" : "formatted"}: ${path}`);
    if (!check) {
      writeFileSync(path, after);
    }
  }
}
process.exit(check && changed > 0 ? 1 : 0);
