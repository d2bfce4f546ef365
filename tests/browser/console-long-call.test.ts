import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { Page } from 'playwright-core';
import { Visitor } from '../support/browser/console/visitor.ts';
import { launchChromium } from '../support/browser/open-browser.ts';
import { ControlPlaneHarness, type TestAccount } from '../support/control-plane-harness.ts';

const CONSOLE = join(import.meta.dirname, '../../services/console/dist');
const PAGES = 30;
const PAGE_SIZE = 100;
const EVENTS = PAGES * PAGE_SIZE;

let harness: ControlPlaneHarness;
let url: string;
let account: TestAccount;
let chromium: Awaited<ReturnType<typeof launchChromium>>;
let call: Call;

beforeAll(async () => {
  [harness, chromium] = await Promise.all([ControlPlaneHarness.start(), launchChromium(new Int16Array(0))]);
  url = await harness.addReplica({}, { consoleDirectory: CONSOLE });
  account = await harness.account('SCALE');
  ({ body: call } = await account.post<Call>('/api/calls', { systemPrompt: 'You are Ada.' }));
});
afterAll(() => Promise.all([chromium[Symbol.asyncDispose](), harness.stop()]));

/** One warning per second. */
const warning = (second: number) => ({
  callTimestamp: `${second}s`,
  severity: 'warning',
  type: 'slow',
  text: `Warning ${second}.`,
  extras: null,
});

/**
 * Opens the page of a call of 50 minutes with 3,000 warnings, live if `ended` is null. `beforePage` can delay or fail a
 * page of its events, except the first one. Returns the errors of the page.
 */
async function visitLongCall(
  beforePage: (index: number) => Promise<'fulfil' | 'fail'>,
  run: (page: Page) => Promise<void>,
  ended: string | null = '2026-11-30T12:50:00Z',
): Promise<readonly string[]> {
  const visitor = await Visitor.open(chromium.browser, { url, screenshots: null, everyView: false });
  const { page } = visitor;
  const path = `${url}/api/calls/${call.callId}`;
  try {
    const joined = '2026-11-30T12:00:00Z';
    const billingStatus = ended === null ? 'BILLING_STATUS_PENDING' : 'BILLING_STATUS_FREE_OTHER';
    const shown = { ...call, joined, ended, billingStatus, shortSummary: ended && 'Long.' };
    await page.route(path, (route) => route.fulfill({ json: shown }));
    await page.route(`${path}/events?*`, async (route) => {
      const index = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      if (index > 0 && (await beforePage(index)) === 'fail') return route.abort();
      const results = Array.from({ length: PAGE_SIZE }, (_, at) => warning(index * PAGE_SIZE + at));
      const next = index + 1 < PAGES ? `${path}/events?cursor=${index + 1}` : null;
      return route.fulfill({ json: { results, next, previous: null, total: EVENTS } });
    });
    await visitor.signIn(`/calls/${call.callId}`, account.key);
    await run(page);
  } finally {
    await visitor.close();
  }
  return visitor.issues;
}

describe('the page of a long call', () => {
  it('shows the first events while the others load', async () => {
    const first = Promise.withResolvers<null>();
    const others = Promise.withResolvers<null>();
    const wait = async (index: number): Promise<'fulfil'> => {
      await (index === 1 ? first : others).promise;
      return 'fulfil';
    };
    const issues = await visitLongCall(wait, async (page) => {
      await page.getByText('Warning 99.').waitFor();
      await page.getByText('Loading the rest of this call').waitFor();
      first.resolve(null);
      await page.getByText('Warning 199.').waitFor();
      others.resolve(null);
      await page.getByText(`Warning ${EVENTS - 1}.`).waitFor();
      await page.getByText('Loading the rest of this call').waitFor({ state: 'detached' });
    });
    expect(issues).toEqual([]);
  });

  it('shows the loaded events with an error when others cannot be loaded, and loads them again', async () => {
    let isReachable = false;
    const fail = (index: number): Promise<'fulfil' | 'fail'> =>
      Promise.resolve(index < 2 || isReachable ? 'fulfil' : 'fail');
    await visitLongCall(fail, async (page) => {
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
      expect(await page.getByText('Warning 199.').count()).toBe(1);
      isReachable = true;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(`Warning ${EVENTS - 1}.`).waitFor();
    });
  });

  it('groups events in the timeline that are close together, and lists a part of the events', async () => {
    const issues = await visitLongCall(
      () => Promise.resolve('fulfil'),
      async (page) => {
        await page.getByText(`Warning ${EVENTS - 1}.`).waitFor();
        const marks = page.locator('[data-kind=warning]:not(li)');
        expect(await marks.count()).toBeLessThan(EVENTS / 20);
        await page.getByRole('tab', { name: 'Events' }).click();
        const rows = page.getByRole('region', { name: 'Events' }).locator('tbody tr');
        await page.getByText(`${EVENTS} of ${EVENTS}`).waitFor();
        expect(await rows.count()).toBe(200);
        await page.getByRole('button', { name: 'Show 200 more' }).click();
        await rows.nth(399).waitFor();
        await page.getByRole('button', { name: `Show all ${EVENTS}` }).click();
        await rows.nth(EVENTS - 1).waitFor();
      },
    );
    expect(issues).toEqual([]);
  });

  it('shows the latest events of a live call', async () => {
    const issues = await visitLongCall(
      () => Promise.resolve('fulfil'),
      async (page) => {
        await page.getByRole('tab', { name: 'Events' }).click();
        await page.getByText(`${EVENTS} of ${EVENTS}`).waitFor();
        const rows = page.getByRole('region', { name: 'Events' }).locator('tbody tr');
        expect(await rows.first().textContent()).toContain(`Warning ${EVENTS - 200}.`);
        expect(await rows.last().textContent()).toContain(`Warning ${EVENTS - 1}.`);
        await page.getByRole('button', { name: 'Show 200 earlier' }).click();
        await rows.getByText(`Warning ${EVENTS - 400}.`).waitFor();
      },
      null,
    );
    expect(issues).toEqual([]);
  });
});
