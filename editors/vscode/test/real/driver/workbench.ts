// What a person does in VS Code, in a test's words.
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { EXTENSION } from './code_server.ts';
import { until } from './until.ts';

const RESULTS = path.join(EXTENSION, 'test-results');

export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(60_000);
    page.setDefaultNavigationTimeout(120_000);
  }

  /** Opens a folder and waits until the extension is at work. */
  async open(url: string, folder: string): Promise<void> {
    await this.page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
    await this.page.locator('.monaco-workbench .part.editor').waitFor({ timeout: 120_000 });
    await this.statusBar('Steersman').waitFor({ timeout: 120_000 });
  }

  /** Waits until the server is connected and nothing is at work. */
  async ready(timeout = 60_000): Promise<void> {
    await this.page.locator('.statusbar-item .codicon-compass').first().waitFor({ timeout });
  }

  statusBar(text: string): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** Runs a command by its title in the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget:visible .quick-input-box input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.choice(title).first().click();
  }

  /** A row of the quick pick. */
  choice(text: string): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: text });
  }

  /** Picks a row of the quick pick. */
  async pick(text: string): Promise<void> {
    await this.choice(text).first().click();
  }

  /** Types into the input box that is open. */
  async answerBox(placeholder: string, text: string): Promise<void> {
    const input = this.page.locator(`.quick-input-widget:visible input[placeholder*="${placeholder}"], .quick-input-widget:visible .quick-input-box input[aria-placeholder*="${placeholder}"]`).first();
    await input.waitFor();
    await input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the folder. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget:visible .quick-input-box input');
    await input.waitFor();
    await input.fill(name);
    await this.choice(name).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: path.basename(name) }).waitFor();
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

  /** Presses a button of a notification. */
  async press(toast: string, label: string): Promise<void> {
    await this.toast(toast).locator('.monaco-button', { hasText: label }).first().click();
  }

  /** The conversation, inside both of its frames. */
  get panel(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Keeps a picture to be looked at. */
  async picture(name: string): Promise<void> {
    fs.mkdirSync(RESULTS, { recursive: true });
    await this.page.screenshot({ path: path.join(RESULTS, `${name.replace(/[^\w]+/g, '-').slice(0, 80)}.png`) });
  }
}

/** Waits until a file holds a text. */
export async function fileBecomes(file: string, text: string): Promise<void> {
  await until(`${path.basename(file)} is ${JSON.stringify(text)}`, () => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text);
}
