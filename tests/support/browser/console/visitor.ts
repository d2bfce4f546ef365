import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { axeFaults } from './axe-faults.ts';

/** A window on the console. */
export interface View {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
}

/** Everything that may still move or come. */
const UNSETTLED = '[aria-busy=true], .mantine-Skeleton-root[data-visible], main .mantine-Loader-root';
/** Of a page that is left while it asks. */
const ABORTED = 'net::ERR_ABORTED';
const WATCH_POLICY = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('content security policy: ' + violatedDirective + ' ' + blockedURI));`;

/** Somebody who looks at the console in one view, and remembers all that was wrong with it. */
export class Visitor {
  readonly page: Page;
  /** `light 1280 /voices: …` */
  readonly faults: string[] = [];
  readonly #context: BrowserContext;
  readonly #view: View;
  readonly #screenshots: string;
  #place = '';

  static async open(
    browser: Browser,
    view: View,
    parts: { url: string; screenshots: string },
  ): Promise<Visitor> {
    const { scheme, width } = view;
    const context = await browser.newContext({
      baseURL: parts.url,
      viewport: { width, height: width < 800 ? 844 : 800 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
      permissions: ['microphone'],
    });
    await context.addInitScript(WATCH_POLICY);
    return new Visitor(context, await context.newPage(), view, parts.screenshots);
  }

  private constructor(context: BrowserContext, page: Page, view: View, screenshots: string) {
    this.#context = context;
    this.page = page;
    this.#view = view;
    this.#screenshots = screenshots;
    page.on('pageerror', (error) => this.#note(`threw ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#note(message.text());
    });
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? '';
      if (why !== ABORTED) this.#note(`${request.method()} ${request.url()} failed: ${why}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.#note(`${response.url()} answered ${response.status()}`);
    });
  }

  /** With a key, at the form; shows the page that was asked for. */
  async signIn(path: string, apiKey: string): Promise<void> {
    this.#place = path;
    await this.page.goto(path);
    await this.page.getByLabel('API key', { exact: true }).fill(apiKey);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.locator('nav[aria-label=Main]').waitFor({ state: 'attached' });
  }

  /** Opens a page, waits for its `heading` to be there and all of it to have come, and looks. */
  async visit(path: string, name: string, heading: string | RegExp): Promise<void> {
    this.#place = path;
    await this.page.goto(path);
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await this.look(name);
  }

  /** Looks at what is shown: takes its picture, and notes what is wrong with it. */
  async look(name: string): Promise<void> {
    const { scheme, width } = this.#view;
    await this.page.locator(UNSETTLED).first().waitFor({ state: 'detached' });
    await this.page.screenshot({
      path: join(this.#screenshots, `${name}-${scheme}-${width}.png`),
      fullPage: true,
    });
    const overflowPx = Number(
      await this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    );
    if (overflowPx > 0) this.#note(`is ${overflowPx} px wider than the window`);
    for (const fault of await axeFaults(this.page)) this.#note(fault);
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  #note(fault: string): void {
    const { scheme, width } = this.#view;
    this.faults.push(`${scheme} ${width} ${this.#place}: ${fault}`);
  }
}
