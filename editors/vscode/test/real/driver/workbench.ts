// What a person does in VS Code, in a test's words.
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { EXTENSION } from './code_server.ts';
import { doUntilSeen, isSoonSeen, succeeds, until } from './until.ts';

const RESULTS = path.join(EXTENSION, 'test-results');

export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(90_000);
    page.setDefaultNavigationTimeout(120_000);
  }

  /** Opens a folder, or a workspace file, and waits until the extension is at work. */
  async open(url: string, opened: string): Promise<void> {
    const kind = opened.endsWith('.code-workspace') ? 'workspace' : 'folder';
    await this.page.goto(`${url}/?${kind}=${encodeURIComponent(opened)}`);
    await this.page.locator('.monaco-workbench .part.editor').waitFor({ timeout: 120_000 });
    await this.statusBar('Steersman').waitFor({ timeout: 120_000 });
  }

  /** Waits until the server is connected and nothing is at work. */
  async ready(timeout = 120_000): Promise<void> {
    await this.page.locator('.statusbar-item .codicon-compass').first().waitFor({ timeout });
  }

  statusBar(text: string): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** The box of the palette, or of another quick pick. */
  get quickBox(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  /** Runs a command by its title in the palette. What takes the focus meanwhile closes the palette: then it is opened again. */
  async command(title: string): Promise<void> {
    await until(`the palette has ${title}`, async () => {
      await this.page.keyboard.press('F1');
      if (!(await isSoonSeen(this.quickBox))) return false;
      return succeeds(async () => {
        await this.quickBox.fill(`>${title}`, { timeout: 4_000 });
        await this.choice(title).first().click({ timeout: 8_000 });
      });
    });
  }

  /** Picks an item of the menu that something opens with the right button. */
  async menu(target: Locator, item: string, sign: Locator): Promise<void> {
    const entry = this.page.locator('.context-view .action-item, .shadow-root-host .action-item').filter({ hasText: item });
    await doUntilSeen(`the menu has ${item}`, () => target.click({ button: 'right', timeout: 5_000 }), entry);
    // A menu ignores what is pressed in its first moments.
    await doUntilSeen(`${item} does something`, () => entry.click({ timeout: 2_000 }), sign);
  }

  /** A row of the quick pick. */
  choice(text: string): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: text });
  }

  /** Picks a row of the quick pick. */
  async pick(text: string): Promise<void> {
    await this.choice(text).first().click();
  }

  /** An input box that asks for something. */
  inputBox(placeholder: string): Locator {
    return this.page.locator(`.quick-input-widget:visible input[placeholder*="${placeholder}"], .quick-input-widget:visible .quick-input-box input[aria-placeholder*="${placeholder}"]`).first();
  }

  /** Types into the input box that is open. */
  async answerBox(placeholder: string, text: string): Promise<void> {
    const input = this.inputBox(placeholder);
    await input.fill(text);
    await input.press('Enter');
  }

  /** Opens a file of the folder. */
  async openFile(name: string): Promise<void> {
    const base = path.basename(name);
    const open = async (): Promise<void> => {
      await this.page.keyboard.press('Control+P');
      await this.quickBox.fill(name, { timeout: 4_000 });
      await this.choice(base).first().click({ timeout: 8_000 });
    };
    await doUntilSeen(`${name} is open`, open, this.tab(base));
  }

  /** The tab in front. */
  tab(text: string): Locator {
    return this.page.locator('.tab.active', { hasText: text });
  }

  /** Starts a task as a person does: from the palette. */
  async runTask(prompt: string): Promise<void> {
    await this.command('Steersman: Run Task');
    await this.answerBox('Say what shall be done', prompt);
  }

  /** The lines that are seen of the active editor. */
  async lines(): Promise<readonly string[]> {
    return this.page.locator('.editor-instance').last().locator('.view-line').evaluateAll((elements) =>
      elements
        .map((each) => [parseFloat((each as HTMLElement).style.top), (each as HTMLElement).innerText.replace(/\u00a0/g, ' ')] as const)
        .sort((a, b) => a[0] - b[0])
        .map(([, text]) => text),
    );
  }

  async focusEditor(): Promise<void> {
    await this.page.locator('.editor-instance .view-lines').last().click();
  }

  toast(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text }).first();
  }

  /** Presses a button of a notification. One that went out of sight meanwhile is still in the list of all. */
  async press(toast: string, label: string): Promise<void> {
    await until(`${label} is pressed`, async () => {
      if (await succeeds(() => this.button(toast, label).click({ timeout: 5_000 }))) return true;
      await this.command('Notifications: Show Notifications');
      const listed = this.page.locator('.notifications-center .notification-list-item', { hasText: toast }).first();
      return succeeds(() => listed.locator('.monaco-button', { hasText: label }).first().click({ timeout: 5_000 }));
    });
  }

  /** A button of a notification. */
  button(toast: string, label: string): Locator {
    return this.toast(toast).locator('.monaco-button', { hasText: label }).first();
  }

  /** The conversation, inside both of its frames. */
  get panel(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready[src*="extensionId=steersman.steersman"]').frameLocator('#active-frame');
  }

  /** Keeps a picture to be looked at. */
  async picture(name: string): Promise<void> {
    await this.page.screenshot({ path: resultFile(name, 'png') });
  }

  /** Keeps a text to be read. */
  note(name: string, text: string): void {
    fs.writeFileSync(resultFile(name, 'log'), text);
  }
}

function resultFile(name: string, ending: string): string {
  fs.mkdirSync(RESULTS, { recursive: true });
  return path.join(RESULTS, `${name.replace(/[^\w]+/g, '-').slice(0, 80)}.${ending}`);
}

/** Waits until a file holds a text. */
export async function fileBecomes(file: string, text: string): Promise<void> {
  await until(`${path.basename(file)} is ${JSON.stringify(text)}`, () => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text);
}
