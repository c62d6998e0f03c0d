// What the person wrote and no server took: kept, over a reload of the window too, until it is back where they write.

/** A part of VS Code's memory (`vscode.Memento`). */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const KEY = 'unsent';

export class Unsent {
  readonly #memory: Memory;
  readonly #onTheWay: string[] = [];

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Keeps a text while it is sent; rejects as `send` does. */
  async sending(text: string, send: () => Promise<unknown>): Promise<void> {
    this.#onTheWay.push(text);
    await this.keep(text);
    try {
      await send();
      await this.drop(text);
    } finally {
      this.#onTheWay.splice(this.#onTheWay.indexOf(text), 1);
    }
  }

  /** The texts that are not on their way, oldest first. */
  get texts(): readonly string[] {
    const left = [...this.#onTheWay];
    return this.#all().filter((text) => {
      const index = left.indexOf(text);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
  }

  /** Keeps a text. */
  async keep(text: string): Promise<void> {
    await this.#memory.update(KEY, [...this.#all(), text]);
  }

  /** Forgets a text, once. */
  async drop(text: string): Promise<void> {
    const texts = this.#all();
    const index = texts.lastIndexOf(text);
    await this.#memory.update(KEY, texts.filter((_, each) => each !== index));
  }

  #all(): readonly string[] {
    const kept = this.#memory.get(KEY);
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  }
}
