import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PAGE_LIMIT_MS } from '../open-browser.ts';
import { axeIssues } from './axe-issues.ts';

/**
 * Desktop and phone in light and dark mode. axe runs once per color scheme, because of contrast, and once per width.
 */
const ALL_VIEWS = [
  { scheme: 'light', width: 1280, height: 800, axe: true },
  { scheme: 'dark', width: 1280, height: 800, axe: false },
  { scheme: 'dark', width: 390, height: 844, axe: true },
  { scheme: 'light', width: 390, height: 844, axe: false },
] as const;
const FIRST_VIEW = ALL_VIEWS[0];
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

/** Elements that are still loading. */
const UNSETTLED = '[aria-busy=true], .mantine-Skeleton-root[data-visible], main .mantine-Loader-root';
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** Error of requests that are aborted by leaving the page. */
const ABORTED = 'net::ERR_ABORTED';
const WATCH_POLICY = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('content security policy: ' + violatedDirective + ' ' + blockedURI));`;

/** Opens console pages in all views and records every error. */
export class Visitor {
  readonly page: Page;
  /** Format: `light 1280 /voices: …`. */
  readonly issues: string[] = [];
  readonly #context: BrowserContext;
  #view: (typeof ALL_VIEWS)[number] = FIRST_VIEW;
  readonly #screenshots: string | null;
  readonly #views: readonly (typeof ALL_VIEWS)[number][];

  /** Without `everyView`, `look` checks only the views with axe. */
  static async open(
    browser: Browser,
    options: { url: string; screenshots: string | null; everyView: boolean },
  ): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: options.url,
      reducedMotion: 'reduce',
      permissions: ['microphone'],
    });
    await context.addInitScript(WATCH_POLICY);
    context.setDefaultTimeout(PAGE_LIMIT_MS);
    const visitor = new Visitor(context, await context.newPage(), options);
    await visitor.#see(FIRST_VIEW);
    return visitor;
  }

  private constructor(
    context: BrowserContext,
    page: Page,
    { screenshots, everyView }: { screenshots: string | null; everyView: boolean },
  ) {
    this.#context = context;
    this.page = page;
    this.#screenshots = screenshots;
    this.#views = ALL_VIEWS.filter(({ axe }) => axe || everyView);
    page.on('pageerror', (error) => this.#note(`threw ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#note(message.text());
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      if (reason !== ABORTED) this.#note(`${request.method()} ${request.url()} failed: ${reason}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.#note(`${response.url()} answered ${response.status()}`);
    });
  }

  /** Signs in with a key in the sign-in form at `path`. */
  async signIn(path: string, apiKey: string): Promise<void> {
    await this.page.goto(path);
    await this.page.getByLabel('API key', { exact: true }).fill(apiKey);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.locator('nav[aria-label=Main]').waitFor({ state: 'attached' });
  }

  /**
   * Opens `path` as a link does, without loading the application again, and checks the page. React Router numbers the
   * entries of the history (`idx`).
   */
  async visit(path: string, name: string, heading: string | RegExp): Promise<void> {
    await this.page.evaluate(`{
      const state = { ...history.state, idx: history.state.idx + 1 };
      history.pushState(state, '', ${JSON.stringify(path)});
      dispatchEvent(new PopStateEvent('popstate', { state }));
    }`);
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await this.look(name);
  }

  /** Returns the issues since the last call. */
  takeIssues(): readonly string[] {
    return this.issues.splice(0);
  }

  /** Waits until the page is loaded and records issues in each view. Takes screenshots if a folder is configured. */
  async look(name: string): Promise<void> {
    for (const view of this.#views) {
      await this.#see(view);
      await this.page.locator(UNSETTLED).first().waitFor({ state: 'detached' });
      if (this.#screenshots !== null) {
        const path = join(this.#screenshots, `${name}-${view.scheme}-${view.width}.png`);
        await this.page.screenshot({ path, fullPage: true });
      }
      const overflowPx = await this.page.evaluate<number>(OVERFLOW);
      if (overflowPx > 0) this.#note(`is ${overflowPx} px wider than the window`);
      if (view.axe) for (const issue of await axeIssues(this.page)) this.#note(issue);
    }
    await this.#see(FIRST_VIEW);
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  async #see(view: (typeof ALL_VIEWS)[number]): Promise<void> {
    this.#view = view;
    await this.page.setViewportSize(view);
    await this.page.emulateMedia({ colorScheme: view.scheme });
    await this.page.evaluate(TWO_FRAMES);
  }

  #note(issue: string): void {
    const { scheme, width } = this.#view;
    this.issues.push(`${scheme} ${width} ${new URL(this.page.url()).pathname}: ${issue}`);
  }
}
