import { afterAll, describe, expect, it } from '@jest/globals';
import { openBrowser } from '../support/browser/open-browser.ts';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';

const [harness, browser] = await Promise.all([ControlPlaneHarness.start(), openBrowser(new Int16Array(0))]);
afterAll(() => Promise.all([browser[Symbol.asyncDispose](), harness.stop()]));

describe('the documentation site in a browser', () => {
  it('finds a section by search and opens it', async () => {
    const { page, errors } = browser;
    await page.goto(`${harness.url}/docs/`);
    await page.keyboard.press('/');
    await page.keyboard.type('backchan');
    await page.locator('#results a[href^="/docs/concepts/turn-taking"]').first().click();
    await page.waitForURL('**/docs/concepts/turn-taking**');
    expect(await page.locator('h1').textContent()).toBe('Turn-taking');
    expect(await page.locator('.sidebar a[aria-current]').textContent()).toBe('Turn-taking');
    expect(errors).toEqual([]);
  });

  it('reports that the search could not be loaded, and loads it again', async () => {
    const { page } = browser;
    const index = '**/docs/assets/search-index.json';
    await page.route(index, (route) => route.abort());
    await page.goto(`${harness.url}/docs/`);
    await page.keyboard.press('/');
    await page.keyboard.type('backchan');
    await page.locator('#results', { hasText: 'The search could not be loaded.' }).waitFor();
    await page.unroute(index);
    await page.keyboard.type('n');
    await page.locator('#results a').first().waitFor();
    // Of the aborted requests.
    browser.errors.length = 0;
  });

  it('opens the operation of the API reference that a page links to', async () => {
    const { page, errors } = browser;
    await page.goto(`${harness.url}/docs/reference/calls`);
    await page.locator('main a', { hasText: 'POST /api/calls' }).first().click();
    await page.locator('[id="post-/api/calls"]', { hasText: 'Create a call' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('begins with the article on a narrow screen, and links to the list of pages', async () => {
    const { page, errors } = browser;
    const size = { width: 390, height: 844 };
    const isVisible = async (selector: string): Promise<boolean> => {
      const { y = Infinity } = (await page.locator(selector).boundingBox()) ?? {};
      return y >= 0 && y < size.height;
    };
    await page.setViewportSize(size);
    await page.goto(`${harness.url}/docs/guides/make-an-agent`);
    expect([await isVisible('h1'), await isVisible('.sidebar')]).toEqual([true, false]);
    await page.locator('header a', { hasText: 'Pages' }).click();
    expect(await isVisible('.sidebar')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.locator('header a', { hasText: 'Pages' }).isVisible()).toBe(false);
    expect(errors).toEqual([]);
  });

  it('remembers the selected colour theme on the next page', async () => {
    const { page, errors } = browser;
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${harness.url}/docs/glossary`);
    const light = await background();
    await page.locator('#theme').click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.goto(`${harness.url}/docs/`);
    expect(await background()).toBe(dark);
    expect(errors).toEqual([]);
  });
});
