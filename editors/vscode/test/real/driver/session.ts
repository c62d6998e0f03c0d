// One VS Code and one browser for all tests; each test gets a folder, a model and a window of its own.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { CodeServer, EXTENSION, type Settings } from './code_server.ts';
import { until } from './until.ts';
import { Workbench } from './workbench.ts';

let server: CodeServer | undefined;
let browser: BrowserContext | undefined;
let numbers = 0;

before(async () => {
  server = await CodeServer.start(path.join(EXTENSION, 'steersman.vsix'));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
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
  /** Whether the scene begins once the server is connected; true unless said otherwise. */
  readonly waitsForServer?: boolean;
}

/** A window on a folder, with what lies around it. */
export class Scene extends Workbench {
  readonly folder: string;
  readonly state: string;
  readonly gates: string;
  readonly #url: string;
  readonly #server: CodeServer;
  readonly #settings: Settings;

  constructor(page: ConstructorParameters<typeof Workbench>[0], server: CodeServer, stage: Stage) {
    super(page);
    numbers += 1;
    const name = `scene-${numbers}`;
    this.#server = server;
    this.#url = server.url;
    this.folder = server.folder(name, stage.files ?? {});
    fs.mkdirSync(this.folder, { recursive: true });
    this.state = path.join(server.root, 'state', name);
    const script = path.join(server.storage, `${name}.jsonl`);
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
    await this.open(this.#url, this.folder);
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

/** Declares a test that plays in a window of its own; a failing one leaves a picture. */
export function scene(name: string, stage: Stage, play: (scene: Scene, step: Step) => Promise<void>): void {
  test(name, { timeout: 600_000 }, async (context) => {
    if (server === undefined || browser === undefined) throw new Error('VS Code did not start');
    const page = await browser.newPage();
    const here = new Scene(page, server, stage);
    try {
      await here.enter();
      if (stage.waitsForServer !== false) await here.ready();
      await play(here, (title, act) => stepOf(context, here, title, act));
    } catch (error) {
      await here.picture(`failed ${name}`).catch(() => undefined);
      throw error;
    } finally {
      await page.close();
    }
  });
}
