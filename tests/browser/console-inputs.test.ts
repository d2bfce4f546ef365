import { join } from 'node:path';
import type { Schemas } from '@calls/api-client';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Page } from 'playwright-core';
import { Visitor } from '../support/browser/console/visitor.ts';
import { launchChromium } from '../support/browser/open-browser.ts';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';

const CONSOLE = join(import.meta.dirname, '../../services/console/dist');

const [harness, chromium] = await Promise.all([
  ControlPlaneHarness.start(),
  launchChromium(new Int16Array(0)),
]);
const url = await harness.addReplica({}, { consoleDirectory: CONSOLE });
const account = await harness.account('SCALE', null, ['sip']);
afterAll(() => Promise.all([chromium[Symbol.asyncDispose](), harness.stop()]));

/** Runs in a page at `path` after signing in. Returns the errors of the page. */
async function visit(path: string, run: (page: Page) => Promise<void>): Promise<readonly string[]> {
  const visitor = await Visitor.open(chromium.browser, { url, screenshots: null, everyView: false });
  try {
    await visitor.signIn(path, account.key);
    await run(visitor.page);
  } finally {
    await visitor.close();
  }
  return visitor.issues;
}

describe('inputs of the console', () => {
  it('take decimals, one key after the other', async () => {
    const issues = await visit('/agents/new', async (page) => {
      await page.getByLabel('Name').fill('Decimals');
      await page.getByLabel('Temperature').pressSequentially('0.05');
      await page.getByLabel('Silence that ends a turn').pressSequentially('1.05');
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('heading', { level: 1, name: 'Decimals' }).waitFor();
      expect(await page.getByLabel('Temperature').inputValue()).toBe('0.05');
      // Only the order of the fields changes, so the service creates no new version.
      await page.getByLabel('Temperature').fill('');
      await page.getByLabel('Temperature').fill('0.05');
      await page.getByRole('button', { name: 'Save and publish' }).click();
      await page.getByText('There are unsaved changes.').waitFor({ state: 'detached' });
    });
    expect(issues).toEqual([]);
    const { results } = await account.list<Agent>('/api/agents?search=Decimals');
    const { temperature, vadSettings } = results[0]?.callTemplate ?? {};
    expect([temperature, vadSettings?.turnEndpointDelay]).toEqual([0.05, '1.05s']);
  });

  it('take days of the usage and of calls, one key after the other', async () => {
    const issues = await visit('/usage?span=custom&from=2026-11-01&to=2026-11-30', async (page) => {
      for (const path of [null, '/calls?period=custom&fromDay=2026-11-01&toDay=2026-11-30']) {
        if (path !== null) await page.goto(path);
        await page.getByLabel('From').focus();
        await page.keyboard.type('01152026');
        await page.waitForURL(/2026-01-15/u);
        expect(await page.getByLabel('From').inputValue()).toBe('2026-01-15');
      }
    });
    expect(issues).toEqual([]);
  });

  it('say that the phone lines of a batch could not be loaded, and load them again', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', { name: 'Caller', callTemplate: {} });
    await visit(`/batches/new?agentId=${agent.agentId}`, async (page) => {
      const trunks = '**/api/sip/trunks?*';
      const body = '{"detail":"The trunks cannot be read.","code":"failed"}';
      await page.route(trunks, (route) => route.fulfill({ status: 400, body }));
      await page.reload();
      const buffer = Buffer.from('to\n+4930123450\n');
      await page.setInputFiles('input[type=file]', { name: 'guests.csv', mimeType: 'text/csv', buffer });
      const problem = page.getByText('The trunks cannot be read.');
      await problem.waitFor();
      await page.unroute(trunks);
      await page.getByRole('button', { name: 'Try again' }).click();
      await problem.waitFor({ state: 'detached' });
    });
  });

  it('take texts that begin like JSON, one key after the other', async () => {
    const issues = await visit('/tools/new', async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('booking');
      await page.getByLabel('URL').fill('https://example.com/bookings');
      for (const [at, value] of ['12 Sea Road', '1.05', '"17"'].entries()) {
        await page.getByRole('button', { name: 'Add fixed value' }).click();
        const row = page.getByRole('group', { name: `fixed value ${at + 1}` });
        await row.getByLabel('Name').fill(`value${at}`);
        await row.getByLabel('Value', { exact: true }).pressSequentially(value);
      }
      await page.getByRole('button', { name: 'Add token' }).click();
      await page.getByRole('button', { name: 'Create tool' }).click();
      await page.getByRole('heading', { level: 1, name: 'booking' }).waitFor();

      await page.goto('/agents/new');
      await page.getByRole('combobox', { name: 'Add a tool' }).fill('booking');
      await page.getByRole('option', { name: /booking/u }).click();
      await page.getByRole('button', { name: 'Overrides' }).click();
      await page.getByLabel('Token key').pressSequentially('12ab');
      await page.getByLabel('Name', { exact: true }).fill('Tokens');
      const created = page.waitForRequest((request) => request.method() === 'POST');
      await page.getByRole('button', { name: 'Create agent' }).click();
      expect((await created).postDataJSON()).toMatchObject({
        callTemplate: { selectedTools: [{ authTokens: { key: '12ab' } }] },
      });
    });
    expect(issues).toEqual([]);
    const { results } = await account.list<Schemas['Tool']>('/api/tools?search=booking');
    expect(results[0]?.definition.staticParameters?.map(({ value }) => value)).toEqual([
      '12 Sea Road',
      1.05,
      '17',
    ]);
  });

  it('show the JSON of the next row when a row is removed', async () => {
    const issues = await visit('/tools/new', async (page) => {
      for (const title of ['first', 'second']) {
        await page.getByRole('button', { name: 'Add parameter' }).click();
        const row = page.getByRole('group', { name: /^parameter/u }).last();
        await row.getByLabel('Type').click();
        await page.getByRole('option', { name: 'JSON Schema' }).click();
        await row.getByLabel('JSON Schema').fill(`{"type": "object", "title": "${title}"}`);
      }
      await page.getByRole('button', { name: 'Remove parameter 1' }).click();
      expect(await page.getByLabel('JSON Schema').inputValue()).toContain('"second"');
    });
    expect(issues).toEqual([]);
  });

  it('reject a number that is none, instead of removing the limit', async () => {
    const issues = await visit('/phone', async (page) => {
      await page.getByRole('button', { name: 'Add trunk' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name', { exact: false }).first().fill('Office');
      await form.getByLabel('Server').fill('trunk.invalid');
      await form.getByLabel('Maximum live calls').fill('5 calls');
      await form.getByRole('button', { name: 'Add trunk' }).click();
      await form.getByText('must be an integer').waitFor();
    });
    expect(issues.filter((issue) => !issue.includes('400'))).toEqual([]);
    expect(issues).not.toEqual([]);
  });

  it('find any of many agents, and name one that is deleted', async () => {
    for (let at = 0; at <= 100; at += 1) await account.post('/api/agents', { name: `Porter ${at}` });
    const { body: agent } = await account.post<Agent>('/api/agents', { name: 'Zoe' });
    const issues = await visit('/phone', async (page) => {
      await page.getByRole('button', { name: 'Connect Twilio' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Account SID').fill('AC0123456789abcdef');
      await form.getByLabel('Auth token').fill('0123456789abcdef0123456789abcdef');
      await form.getByRole('switch', { name: 'All agents take incoming calls' }).press(' ');
      await form.getByRole('button', { name: 'Add agent' }).click();
      await form.getByRole('combobox', { name: 'Agent 1' }).fill('Zoe');
      await page.getByRole('option', { name: 'Zoe' }).click();
      await form.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('region', { name: 'Twilio' }).getByText('1 agent', { exact: true }).waitFor();
      await account.send('DELETE', `/api/agents/${agent.agentId}`);
      await page.goto(`/calls?agentId=${agent.agentId}`);
      const filter = page.getByRole('combobox', { name: 'Any agent' });
      await eventually(async () => expect(await filter.inputValue()).toBe('A deleted agent'));
    });
    expect(issues.filter((issue) => !issue.includes('404'))).toEqual([]);
  });

  it('say that agents could not be loaded, and load them when the list is opened again', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', { name: 'Loaded late' });
    await visit('/voices', async (page) => {
      await page.route(/\/api\/agents[/?]/u, (route) => route.abort());
      await page.goto(`/calls?agentId=${agent.agentId}`);
      const filter = page.getByRole('combobox', { name: 'Any agent' });
      await eventually(async () => expect(await filter.inputValue()).toBe('This agent could not be loaded'));
      await page.goto('/batches');
      await page.getByRole('combobox', { name: 'Choose an agent' }).click();
      await page.getByText('The service cannot be reached.').waitFor();
      await page.unroute(/\/api\/agents[/?]/u);
      await page.keyboard.press('Escape');
      await page.getByRole('combobox', { name: 'Choose an agent' }).press('ArrowDown');
      await page.getByRole('option', { name: 'Loaded late' }).click();
      await page.getByText('This agent has no batch yet').waitFor();
    });
  });

  it('focus a group of check boxes that has an error', async () => {
    const issues = await visit('/webhooks', async (page) => {
      expect(await page.locator('nav:not([aria-label])').count()).toBe(0);
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel('URL').fill('https://example.com/hook');
      await form.getByLabel('call.ended').click();
      await form.getByRole('button', { name: 'Add webhook' }).click();
      const focused = () => page.evaluate<string>('document.activeElement.value');
      await eventually(async () => expect(await focused()).toBe('call.started'));
    });
    expect(issues.filter((issue) => !issue.includes('400'))).toEqual([]);
  });

  it('break names that are wider than a narrow screen', async () => {
    await account.post('/api/api_keys', { name: 'booking_server_of_the_hotel_reception_in_the_north' });
    const issues = await visit('/keys', async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByText('booking_server_of_the_hotel').waitFor();
      const cut = await page.evaluate<number>(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('table').parentElement)`,
      );
      expect(cut).toBe(0);
    });
    expect(issues).toEqual([]);
  });

  it('show the search of the address', async () => {
    const issues = await visit('/calls?search=breakfast', async (page) => {
      const search = page.getByRole('searchbox');
      expect(await search.inputValue()).toBe('breakfast');
      await page.getByRole('link', { name: 'Calls', exact: true }).click();
      await page.getByText('No calls yet').waitFor();
      expect(await search.inputValue()).toBe('');
      await search.pressSequentially('dinne');
      await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
      await search.press('r');
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      // Typing counts as finished after a pause of 250 ms, whose timer has fired before this one.
      await page.evaluate('new Promise((done) => setTimeout(done, 300))');
      await page.getByText('No calls yet').waitFor();
      expect(await search.inputValue()).toBe('');
    });
    expect(issues).toEqual([]);
  });

  it('stay open on Escape while they are sent, so that an error is shown', async () => {
    await visit('/webhooks', async (page) => {
      const sent = Promise.withResolvers<null>();
      const body = '{"detail":"The webhook cannot be stored.","code":"failed"}';
      await page.route('**/api/webhooks', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await sent.promise;
        return route.fulfill({ status: 400, body });
      });
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('URL').fill('https://example.com/hook');
      await drawer.getByRole('button', { name: 'Add webhook' }).click();
      await drawer.locator('button[data-loading]').waitFor();
      await page.keyboard.press('Escape');
      sent.resolve(null);
      await drawer.getByText('The webhook cannot be stored.').waitFor();
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
    });
  });

  it('find calls by phone number', async () => {
    for (const to of ['tel:+491701234567', 'tel:+491707654321']) {
      await account.createCall({ medium: { sip: { outgoing: { to, from: 'sip:desk@pbx.test' } } } });
    }
    const issues = await visit('/calls', async (page) => {
      await page.getByText('tel:+491701234567').waitFor();
      await page.getByRole('searchbox').fill('0170 765');
      await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
      await page.getByRole('searchbox').fill('0170 7654321');
      await page.getByText('tel:+491707654321').waitFor();
      expect(await page.getByText('tel:+491701234567').count()).toBe(0);
    });
    expect(issues).toEqual([]);
  });
});

describe('pages of the console', () => {
  it('show the first tab if the URL has an unknown one', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', { name: 'Tabs', callTemplate: {} });
    const call = await account.createCall();
    const issues = await visit(`/agents/${agent.agentId}?tab=unknown`, async (page) => {
      await page.getByLabel('Temperature').waitFor();
      await page.goto(`/calls/${call.callId}?tab=stages`);
      await page.getByText('Nothing was said yet').waitFor();
    });
    expect(issues).toEqual([]);
  });

  it('name each navigation', async () => {
    const issues = await visit('/', async (page) => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).waitFor();
      expect(await page.locator('nav:not([aria-label])').count()).toBe(0);
    });
    expect(issues).toEqual([]);
  });

  it('ask before unsaved changes are lost', async () => {
    const issues = await visit('/agents/new', async (page) => {
      const name = page.getByLabel('Name');
      await name.fill('Unsaved');
      const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
      await page.getByRole('link', { name: 'Voices' }).click();
      await leave.getByRole('button', { name: 'Stay' }).click();
      await leave.waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('Unsaved');
      await page.getByRole('link', { name: 'Voices' }).click();
      await leave.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Voices' }).waitFor();
    });
    expect(issues).toEqual([]);
  });

  it('keep the scenarios of an agent open when test runs cannot be refreshed, and stop a run', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', {
      name: 'Tested',
      callTemplate: { systemPrompt: 'You are Ada.' },
    });
    await visit(`/agents/${agent.agentId}?tab=tests`, async (page) => {
      // Nothing plays the run, so the page asks for it again and again.
      await page.getByRole('button', { name: 'Run tests' }).click();
      await page.getByText('The tests are running…').waitFor();
      await page.route('**/api/test_runs**', (route) => route.abort());
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
      expect(await page.getByRole('textbox', { name: 'Scenario', exact: true }).isVisible()).toBe(true);
      await page.unroute('**/api/test_runs**');
      await page.getByRole('button', { name: 'Stop the run' }).click();
      await page.getByText('The tests are running…').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: 'Run tests' }).isEnabled()).toBe(true);
    });
  });
});

describe('the list of calls', () => {
  it('loads more calls while calls change and responses take long', async () => {
    const changed = { times: 0, twice: Promise.withResolvers<null>() };
    const call = { joined: null, ended: null, endReason: null, billingStatus: 'BILLING_STATUS_PENDING' };
    const pageOf = (systemPrompt: string, next: string | null) => ({
      results: [
        {
          ...call,
          callId: systemPrompt,
          created: '2026-11-30T12:00:00Z',
          medium: {},
          systemPrompt,
          shortSummary: null,
        },
      ],
      next,
      previous: null,
      total: 2,
    });
    const issues = await visit('/calls', async (page) => {
      await page.route('**/api/calls/changes', async (route) => {
        changed.times += 1;
        if (changed.times > 2) changed.twice.resolve(null);
        await route.fulfill({ contentType: 'text/event-stream', body: 'event: resync\ndata: {}\n\n' });
      });
      await page.route('**/api/calls/summaries?*', async (route) => {
        if (!route.request().url().includes('cursor=')) {
          await route.fulfill({ json: pageOf('First call', `${url}/api/calls/summaries?cursor=next`) });
          return;
        }
        changed.times = 0;
        await changed.twice.promise;
        await route.fulfill({ json: pageOf('Second call', null) });
      });
      await page.reload();
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText('Second call').waitFor();
    });
    expect(issues).toEqual([]);
  });
});

describe('leaving a page of the console', () => {
  it('asks for confirmation while a save is pending, and continues when it has succeeded', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', { name: 'Saved slowly' });
    const issues = await visit(`/agents/${agent.agentId}`, async (page) => {
      const saving = Promise.withResolvers<null>();
      await page.route(`**/api/agents/${agent.agentId}`, async (route) => {
        if (route.request().method() === 'PATCH') await saving.promise;
        await route.continue();
      });
      await page.getByLabel('System prompt').fill('You are Ada.');
      await page.getByRole('button', { name: 'Save and publish' }).click();
      await page.getByRole('link', { name: 'Tools' }).click();
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
      saving.resolve(null);
      await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    });
    expect(issues).toEqual([]);
  });

  it('asks for confirmation while a call is created', async () => {
    const issues = await visit('/talk', async (page) => {
      // The response never comes.
      await page.route('**/api/calls', () => undefined);
      await page.getByRole('button', { name: 'Text only' }).click();
      await page.getByText('Creating the call…').waitFor();
      await page.getByRole('link', { name: 'Tools' }).click();
      await page.getByRole('button', { name: 'Hang up and leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    });
    expect(issues).toEqual([]);
  });

  it('asks for confirmation while changed scenarios are not stored', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', {
      name: 'Changed tests',
      callTemplate: { systemPrompt: 'You are Ada.' },
    });
    const issues = await visit(`/agents/${agent.agentId}?tab=tests`, async (page) => {
      const leave = () => page.getByRole('link', { name: 'Tools' }).click();
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });
      const says = page.getByLabel('The caller says');
      await says.fill('Hello, Ada.');
      await leave();
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Store without running' }).click();
      await page.getByRole('button', { name: 'Stored' }).waitFor();
      await leave();
      await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
      await page.goBack();
      expect(await says.inputValue()).toBe('Hello, Ada.');
      await page.getByRole('button', { name: 'Remove the scenario greets the caller' }).click();
      await page.getByRole('button', { name: 'Store without running' }).click();
      await page.getByRole('button', { name: 'Stored' }).waitFor();
      await leave();
      await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    });
    expect(issues).toEqual([]);
  });
});

describe('two tabs of the console', () => {
  it('keep unsaved changes of one when the other one saves', async () => {
    const { body: agent } = await account.post<Agent>('/api/agents', {
      name: 'Shared',
      callTemplate: { systemPrompt: 'You are Ada.' },
    });
    const issues = await visit(`/agents/${agent.agentId}`, async (page) => {
      const prompt = page.getByLabel('System prompt');
      const saveElsewhere = async (systemPrompt: string, shown: string): Promise<void> => {
        await account.send('PATCH', `/api/agents/${agent.agentId}`, { callTemplate: { systemPrompt } });
        // The page loads the agent again, unless it did so in the last two seconds.
        await eventually(async () => {
          await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
          expect(await page.getByText(shown).isVisible()).toBe(true);
        });
      };
      await page.getByText('You are Ada.').waitFor();
      await saveElsewhere('You are Ben.', 'You are Ben.');
      await prompt.fill('You are Cleo.');
      await saveElsewhere('You are Dan.', 'Other changes were saved in the meantime.');
      expect(await prompt.inputValue()).toBe('You are Cleo.');
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByText('You are Dan.').waitFor();
    });
    expect(issues).toEqual([]);
  });

  it('show the same account', async () => {
    const other = await harness.account('SCALE');
    await other.post('/api/agents', { name: 'Agent of the other account' });
    await account.post('/api/agents', { name: 'Own agent' });
    const issues = await visit('/agents', async (page) => {
      await page.getByText('Own agent').waitFor();
      const signedIn = Promise.withResolvers<null>();
      // The page may refresh its list while no account is signed in.
      await page.route('**/api/agents**', (route) => signedIn.promise.then(() => route.continue()));
      const tab = await page.context().newPage();
      await tab.goto('/agents');
      await tab.getByRole('button', { name: 'test' }).click();
      await tab.getByRole('button', { name: 'Sign out' }).click();
      await tab.getByLabel('API key', { exact: true }).fill(other.key);
      await tab.getByRole('button', { name: 'Sign in' }).click();
      await tab.getByText('Agent of the other account').waitFor();
      signedIn.resolve(null);
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
      await page.waitForURL(`${url}/`);
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByText('Agent of the other account').waitFor();
      expect(await page.getByText('Own agent').count()).toBe(0);
    });
    expect(issues).toEqual([]);
  });
});
