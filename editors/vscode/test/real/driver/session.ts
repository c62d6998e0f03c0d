// Each scene gets a VS Code, a folder, a model and a window of its own: one that fails takes no other with it.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser, openWindow } from './browser.ts';
import { CodeServer, EXTENSION, Installation, type Settings } from './code_server.ts';
import { until } from './until.ts';
import { Workbench } from './workbench.ts';

let installation: Installation | undefined;
let browser: Browser | undefined;
let numbers = 0;

before(async () => {
  installation = await Installation.make(path.join(EXTENSION, 'steersman.vsix'));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  installation?.remove();
});

/** Interpreter that has the server. */
function python(): string {
  const named = process.env['STEERSMAN_TEST_PYTHON'];
  if (named === undefined) throw new Error('STEERSMAN_TEST_PYTHON names no interpreter; run `make test-vscode`.');
  return named;
}

export interface Stage {
  readonly files?: Readonly<Record<string, string>>;
  /** Replies of the scripted model, one a request; left out: the rule-based model. */
  readonly script?: readonly unknown[];
  readonly settings?: Settings;
  /** Folders inside the scene's own that are opened together; left out: the scene's own folder. */
  readonly roots?: readonly string[];
  /** Whether the scene begins once the server is connected; true unless said otherwise. */
  readonly waitsForServer?: boolean;
}

/** A window on a folder, with what lies around it. */
export class Scene extends Workbench {
  readonly name: string;
  readonly folder: string;
  readonly state: string;
  readonly gates: string;
  readonly #server: CodeServer;
  readonly #settings: Settings;
  readonly #opens: string;

  constructor(page: ConstructorParameters<typeof Workbench>[0], server: CodeServer, stage: Stage) {
    super(page);
    this.name = path.basename(server.root);
    this.#server = server;
    this.folder = server.folder(this.name, stage.files ?? {});
    fs.mkdirSync(this.folder, { recursive: true });
    this.#opens = stage.roots === undefined ? this.folder : this.#workspaceFile(stage.roots);
    this.state = path.join(server.root, 'state');
    const script = path.join(server.storage, 'script.jsonl');
    this.gates = `${script}.gates`;
    const environment: Record<string, string> = { STEERSMAN_STATE_DIR: this.state, STEERSMAN_CONFIG: path.join(server.root, 'none.toml') };
    if (stage.script !== undefined) {
      fs.mkdirSync(server.storage, { recursive: true });
      fs.writeFileSync(script, stage.script.map((reply) => `${JSON.stringify(reply)}\n`).join(''));
      environment['STEERSMAN_MODEL'] = `scripted/${path.basename(script)}`; // the server's own working folder
    }
    this.#settings = { 'steersman.server.path': python(), 'steersman.server.environment': environment, ...stage.settings };
    server.configure(this.#settings);
  }

  /** Opens the window, or opens it again. */
  async enter(): Promise<void> {
    await this.open(this.#server.url, this.#opens);
  }

  #workspaceFile(roots: readonly string[]): string {
    const file = path.join(this.folder, 'all.code-workspace');
    fs.writeFileSync(file, JSON.stringify({ folders: roots.map((root) => ({ path: root })) }));
    return file;
  }

  configure(settings: Settings): void {
    this.#server.configure({ ...this.#settings, ...settings });
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  read(name: string): string {
    return fs.readFileSync(this.path(name), 'utf8');
  }

  /** The server's own command line program. */
  commandLine(): readonly [program: string, ...before: string[]] {
    return [python(), '-P', '-m', 'steersman'];
  }

  /** Waits until the scripted model stands at a gate. */
  async reached(gate: string): Promise<void> {
    await until(`the model stands at ${gate}`, () => fs.existsSync(path.join(this.gates, `${gate}.reached`)));
  }

  /** Lets the scripted model through a gate. */
  pass(gate: string): void {
    fs.writeFileSync(path.join(this.gates, `${gate}.open`), '');
  }
}

export type Step = (title: string, act: () => Promise<void>) => Promise<void>;

// A step that fails leaves a picture, and ends the scene: what comes after it stands on it.
async function stepOf(context: TestContext, here: Scene, title: string, act: () => Promise<void>): Promise<void> {
  let failure: unknown;
  await context.test(title, async () => {
    try {
      await act();
    } catch (error) {
      failure = error;
      await here.picture(`failed ${title}`).catch(() => undefined);
      throw error;
    }
  });
  if (failure !== undefined) throw new Error(`the scene ends, because this step failed: ${title}`);
}

/** Declares a test that plays in a VS Code of its own; a failing one leaves a picture and the logs. */
export function scene(name: string, stage: Stage, play: (scene: Scene, step: Step) => Promise<void>): void {
  test(name, { timeout: 600_000 }, async (context) => {
    if (installation === undefined || browser === undefined) throw new Error('VS Code or the browser did not start');
    numbers += 1;
    const server = new CodeServer(installation, `scene-${numbers}`);
    const page = await openWindow(browser);
    const here = new Scene(page, server, stage);
    try {
      await server.start();
      await here.enter();
      if (stage.waitsForServer !== false) await here.ready();
      await play(here, (title, act) => stepOf(context, here, title, act));
      assert.equal(page.context().pages().length, 1, 'no window was opened beside');
    } catch (error) {
      await here.picture(`failed ${name}`).catch(() => undefined);
      here.note(`failed ${name}`, server.logs());
      throw error;
    } finally {
      await page.context().close();
      await server.stop();
    }
  });
}
