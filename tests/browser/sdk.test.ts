import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { Api } from '../support/api.ts';
import { axeIssues } from '../support/browser/console/axe-issues.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { probePage } from '../support/browser/page-probe.ts';
import { startSdkSite } from '../support/browser/sdk-site.ts';
import { beeps } from '../support/browser/sounds.ts';
import { startCoturn } from '../support/coturn.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';

/** Round trip above which the SDK reports late responses. */
const LONG_ROUND_TRIP_MS = 300;
const GREETING = 'Good morning, this is Ada at the reception. What can I do for you today?';
const MAX_WIDGET_BYTES = 60_000;
const QUIET = new Int16Array(4800);

const [standIn, coturn] = await Promise.all([startAiStandIn(), startCoturn('127.0.0.1')]);
const stack = await startTestStack({
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    TURN_URLS: `turn:127.0.0.1:${coturn.port}`,
    TURN_SECRET: coturn.secret,
  },
});
const api = new Api(stack);
afterAll(async () => {
  await standIn[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await coturn[Symbol.asyncDispose]();
});

/** Creates a call like the server of a site when a visitor starts one. */
async function createCall(
  settings: Record<string, unknown> = {},
): Promise<{ callId: string; joinUrl: string }> {
  const { callId, joinUrl } = await api.createCall({
    medium: { webRtc: {} },
    firstSpeakerSettings: { agent: { text: GREETING } },
    // A busy page joins late.
    joinTimeout: '120s',
    ...settings,
  });
  return { callId, joinUrl: joinUrl ?? '' };
}

/** A join URL at which no service listens. */
async function unusedUrl(): Promise<string> {
  return `ws://127.0.0.1:${String(await findFreePorts(1))}/join/1`;
}

async function until(page: Page, expression: string): Promise<void> {
  await eventually(async () => {
    if (!(await page.evaluate(`Boolean(${expression})`))) throw new Error(`${expression} does not hold`);
  });
}

describe('the browser SDK', () => {
  it('tests the network before a call, without joining it', async () => {
    await using site = await startSdkSite();
    await using browser = await openBrowser(QUIET);
    const { page } = browser;
    const probe = await probePage(page);
    await page.goto(site.url);
    const { callId, joinUrl } = await createCall();
    await page.evaluate(`import('/sdk/calls-client.js').then((sdk) => { globalThis.sdk = sdk; })`);
    const test = (url: string) =>
      page.evaluate<Record<string, unknown>>(
        `sdk.testNetwork(${JSON.stringify(url)}).catch(({ code, message }) => ({ code, message }))`,
      );

    const path = { isReachable: true, roundTripMs: expect.any(Number), problem: null };
    const good = { udp: path, tcp: path, turn: path, verdict: 'good', reasons: [] };
    // The result on a busy machine, which responds late.
    const slow = { ...good, verdict: 'limited', reasons: [expect.stringContaining('The round trip takes')] };
    const tested = await test(joinUrl);
    const isSlow = (tested['udp'] as { roundTripMs: number }).roundTripMs > LONG_ROUND_TRIP_MS;
    expect(tested).toEqual(isSlow ? slow : good);
    expect(await probe.stillOpen()).toEqual([]);
    expect(
      (await api.request<{ joined: string | null }>('GET', `/api/calls/${callId}`)).body.joined,
    ).toBeFalsy();

    // Simulates a firewall that blocks UDP.
    await page.evaluate(`(() => {
      const { prototype } = RTCPeerConnection;
      const set = prototype.setRemoteDescription;
      prototype.setRemoteDescription = function (description) {
        const sdp = description.sdp.replaceAll(/a=candidate:\\S+ 1 udp .*\\r\\n/gu, '');
        return set.call(this, { type: description.type, sdp });
      };
    })()`);
    expect(await test(joinUrl)).toMatchObject({
      udp: { isReachable: false, roundTripMs: null, problem: expect.stringContaining('no response') },
      tcp: path,
      verdict: 'limited',
      reasons: expect.arrayContaining([expect.stringContaining('UDP is blocked')]),
    });

    await page.evaluate(`(async () => {
      globalThis.session = new sdk.CallSession();
      await session.joinCall(${JSON.stringify(joinUrl)}, { microphone: false });
      await session.leaveCall();
    })()`);
    expect(await api.endedCall(callId)).toMatchObject({ endReason: 'hangup' });
    expect(await test(joinUrl)).toMatchObject({ code: 'unknown_call' });
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    const other = await createCall({ medium });
    expect(await test(other.joinUrl)).toMatchObject({ code: 'wrong_medium' });
    expect((await api.request('GET', `/api/calls/${other.callId}`)).body).toMatchObject({ joined: null });
    const closedUrl = await unusedUrl();
    expect(await test(closedUrl)).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining(new URL(closedUrl).origin),
    });
    await until(page, `probe.stillOpen().length === 0`);
  });

  it('reports levels of both sides, sends DTMF keys and sets the volume', async () => {
    await standIn.control({ llm: { rules: [{ last: 'user', contains: '42#', reply: 'Thank you.' }] } });
    await using site = await startSdkSite();
    await using browser = await openBrowser(beeps(500, 60_000));
    const { page, errors } = browser;
    await probePage(page);
    await page.goto(site.url);
    const { callId, joinUrl } = await createCall();
    await page.evaluate(`(async () => {
      const { CallSession } = await import('/sdk/calls-client.js');
      globalThis.session = new CallSession();
      globalThis.loudest = { microphone: 0, agent: 0 };
      session.addEventListener('levels', ({ detail }) => {
        for (const side of ['microphone', 'agent']) loudest[side] = Math.max(loudest[side], detail[side]);
        globalThis.lastLevels = detail;
      });
      session.speakerVolume = 0.25;
      await session.joinCall(${JSON.stringify(joinUrl)});
    })()`);
    await until(page, 'loudest.microphone > 0.5 && loudest.agent > 0.3');
    expect(await page.evaluate('session.speakerVolume')).toBe(0.25);
    await page.evaluate(`session.muteMic()`);
    await page.evaluate(`session.sendDtmf('42#')`);
    await until(
      page,
      `session.transcripts.at(-1)?.text.endsWith('Thank you.') && session.transcripts.at(-1).isFinal`,
    );
    await page.evaluate(`session.leaveCall()`);
    expect(await page.evaluate('lastLevels')).toEqual({ microphone: 0, agent: 0 });
    await api.endedCall(callId);
    const users = (await api.messages(callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(users.map(({ text }) => text)).toContain('42#');
    expect(errors).toEqual([]);
  });
});

/** Bundles the page for development, because StrictMode has no effect in production builds. */
async function bundleReactPage(): Promise<string> {
  await using bundle = await rolldown({
    input: join(import.meta.dirname, '../support/browser/react-page.mjs'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const { output } = await bundle.generate({ format: 'esm' });
  return output[0].code;
}

describe('the React hooks', () => {
  it('run a call in StrictMode with current tools, and leave it on unmount', async () => {
    const colour = (name: string) => ({ toolCalls: [{ name: 'setColour', arguments: { colour: name } }] });
    await standIn.control({
      llm: {
        rules: [
          { last: 'user', contains: 'green', reply: colour('green') },
          { last: 'user', contains: 'blue', reply: colour('blue') },
          { last: 'user', contains: 'red', reply: colour('red') },
          { last: 'tool', contains: 'white', reply: 'First done.' },
          { last: 'tool', contains: 'was green', reply: 'Second done.' },
          { last: 'tool', contains: 'no such tool', reply: 'Third refused.' },
        ],
      },
    });
    const created: string[] = [];
    await using site = await startSdkSite(
      {},
      {
        html: '<!doctype html><title>React</title><div id="root"></div><script type="module" src="/page.js"></script>',
        scripts: { '/page.js': await bundleReactPage() },
        createCall: async () => {
          const call = await createCall({ selectedTools: [setColour] });
          created.push(call.callId);
          return call;
        },
      },
    );
    await using browser = await openBrowser(QUIET);
    const { page, errors } = browser;
    const probe = await probePage(page);
    await page.goto(site.url);
    await page.click('#join');
    await until(page, `document.querySelector('#transcript')?.textContent.includes('Good morning')`);
    await until(page, `document.querySelector('#status').textContent === 'listening'`);
    await until(page, 'loudest > 0.3');
    await page.evaluate(`session.sendText('Make it green.')`);
    await until(page, `document.querySelector('#transcript').textContent.includes('First done.')`);
    await page.evaluate(`session.sendText('Now blue.')`);
    await until(page, `document.querySelector('#transcript').textContent.includes('Second done.')`);
    expect(await page.textContent('#colour')).toBe('blue');
    await page.evaluate(`session.sendText('And red.')`);
    await until(page, `document.querySelector('#transcript').textContent.includes('Third refused.')`);
    expect(await page.textContent('#colour')).toBe('blue');

    await page.click('#toggle');
    await until(page, `probe.opened().length > 0 && probe.stillOpen().length === 0`);
    expect(await api.endedCall(created[0] ?? '')).toMatchObject({ endReason: 'hangup' });

    await page.click('#toggle');
    await page.evaluate(`call.join('${await unusedUrl()}', { microphone: false })`);
    await until(page, `document.querySelector('#error').textContent === 'connection_failed'`);
    await page.click('#join');
    await until(page, `['listening', 'speaking'].includes(document.querySelector('#status').textContent)`);
    expect(await page.textContent('#error')).toBe('');
    await page.click('#leave');
    await until(page, `document.querySelector('#end').textContent === 'hangup'`);
    await until(page, `probe.stillOpen().length === 0`);
    expect(await probe.stillOpen()).toEqual([]);
    expect(errors.filter((error) => !error.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
  });

  it('join in an effect of a child, and show the end of a call that is left while hidden', async () => {
    await using site = await startSdkSite(
      {},
      {
        html: '<!doctype html><title>React</title><div id="root"></div><script type="module" src="/page.js"></script>',
        scripts: { '/page.js': await bundleReactPage() },
      },
    );
    await using browser = await openBrowser(QUIET);
    const { page, errors } = browser;
    await probePage(page);
    const { callId, joinUrl } = await createCall();
    await page.goto(`${site.url}#${encodeURIComponent(joinUrl)}`);
    await until(page, `document.querySelector('#status')?.textContent === 'listening'`);
    expect(await page.evaluate('statuses.includes("connecting")')).toBe(true);
    expect(await page.textContent('#error')).toBe('');

    await page.evaluate(`history.replaceState(null, '', location.pathname)`);
    await page.click('#hide');
    expect(await api.endedCall(callId)).toMatchObject({ endReason: 'hangup' });
    await page.click('#show');
    await until(page, `document.querySelector('#status').textContent === 'disconnected'`);
    expect(await page.textContent('#end')).toBe('hangup');
    expect(errors).toEqual([]);
  });
});

describe('the widget', () => {
  const script = (attributes = 'data-call-url="/call"'): string =>
    `<!doctype html><html lang="en"><title>A shop</title><main><h1>Shop</h1></main>
    <script src="${stack.apiUrl}/sdk/calls-widget.js" ${attributes} async></script></html>`;
  /** The origin of media-workers is in the join URL. */
  const strictPolicy = async (): Promise<Record<string, string>> => {
    const { origin } = new URL((await createCall()).joinUrl);
    return {
      'content-security-policy': `default-src 'none'; script-src ${stack.apiUrl}; connect-src 'self' ${origin}`,
    };
  };
  const phase = (page: Page): Promise<string> =>
    page.evaluate(`document.querySelector('calls-widget').state.phase`);
  const shows = (page: Page, text: string): Promise<void> =>
    until(
      page,
      `document.querySelector('calls-widget')?.shadowRoot.textContent.includes(${JSON.stringify(text)})`,
    );
  const shareSession = (page: Page): Promise<unknown> =>
    page.evaluate(`globalThis.session = document.querySelector('calls-widget').session; 0`);

  it('is smaller than 60 kB when compressed', async () => {
    const built = await readFile(
      join(import.meta.dirname, '../../services/console/dist/sdk/calls-widget.js'),
    );
    expect(gzipSync(built, { level: 9 }).byteLength).toBeLessThan(MAX_WIDGET_BYTES);
  });

  it('runs a call by keyboard under a strict CSP, and passes axe in each state', async () => {
    const created: string[] = [];
    await using site = await startSdkSite(await strictPolicy(), {
      html: script(),
      createCall: async () => {
        const call = await createCall();
        created.push(call.callId);
        return call;
      },
    });
    await using browser = await openBrowser(beeps(500, 60_000));
    const { page, errors } = browser;
    await probePage(page);
    await page.goto(site.url);
    await shows(page, 'Start call');
    await shareSession(page);
    const issues = [await axeIssues(page)];

    const meters = `document.querySelector('calls-widget').shadowRoot.querySelectorAll('.meter')`;
    await page.evaluate(`globalThis.loudestShown = 0; setInterval(() => {
      const shown = Number(${meters}[1]?.style.getPropertyValue('--level') ?? 0);
      loudestShown = Math.max(loudestShown, shown);
    }, 20); 0`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(
      page,
      `document.querySelector('calls-widget').state.phase === 'talking' && probe.loudMs() > 500`,
    );
    await until(page, 'loudestShown > 0.3');
    issues.push(await axeIssues(page));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.evaluate('session.isMicMuted')).toBe(true);
    await until(page, `session.status === 'listening'`);
    await shows(page, 'Your microphone is muted.');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await shows(page, 'Call ended.');
    await shows(page, 'Call again');
    issues.push(await axeIssues(page));
    expect(issues).toEqual([[], [], []]);
    await until(page, `probe.stillOpen().length === 0`);
    expect(await api.endedCall(created[0] ?? '')).toMatchObject({
      endReason: 'hangup',
      clientVersion: expect.stringMatching(/^calls-widget calls-client\//u),
    });
    expect(created).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('shows that a call could not be started, recovers, and treats a double click as one click', async () => {
    let isDown = true;
    const createUnlessDown = async () => {
      if (isDown) throw new Error('down');
      return createCall();
    };
    await using site = await startSdkSite({}, { html: script(), createCall: createUnlessDown });
    await using browser = await openBrowser(QUIET);
    const { page } = browser;
    const probe = await probePage(page);
    await page.goto(site.url);
    await shows(page, 'Start call');
    await shareSession(page);
    await page.click('calls-widget >> text=Start call');
    await shows(page, 'The call could not be started.');
    expect(await phase(page)).toBe('failed');
    expect(await axeIssues(page)).toEqual([]);
    isDown = false;
    await page.dblclick('calls-widget >> text=Call again');
    await until(page, `document.querySelector('calls-widget').state.phase === 'talking'`);
    await page.dblclick('calls-widget >> text=Hang up', { delay: 60 });
    await shows(page, 'Call ended.');
    expect(await phase(page)).toBe('ended');
    await page.click('calls-widget >> text=Call again');
    await until(page, `document.querySelector('calls-widget').state.phase === 'talking'`);
    // The page removes the widget.
    await page.evaluate(`document.querySelector('calls-widget').remove()`);
    await until(page, `probe.stillOpen().length === 0`);
    expect(await probe.opened()).toContain('RTCPeerConnection');
  });

  it('uses the theme and texts of the page, and requests the microphone before it creates a call', async () => {
    let created = 0;
    await using site = await startSdkSite(
      { 'permissions-policy': 'microphone=()' },
      {
        html: script(`data-call-url="/call" data-theme="dark" data-texts='{"start": "Anrufen"}'`),
        createCall: () => {
          created += 1;
          return createCall();
        },
      },
    );
    await using browser = await openBrowser(QUIET);
    const { page } = browser;
    await page.goto(site.url);
    await shows(page, 'Anrufen');
    // The script is added again.
    await page.evaluate(`new Promise((loaded) => {
      const again = document.createElement('script');
      again.dataset.callUrl = '/call';
      again.onload = loaded;
      again.src = document.querySelector('script').src;
      document.head.append(again);
    }).then(() => undefined)`);
    expect(await page.locator('calls-widget').count()).toBe(1);
    await page.addStyleTag({ content: 'calls-widget { --calls-accent: rgb(200, 240, 200) }' });
    const colourOf = (selector: string): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('calls-widget').shadowRoot.querySelector('${selector}')).backgroundColor`,
      );
    expect(await colourOf('.main')).toBe('rgb(200, 240, 200)');
    expect(await colourOf('.panel')).toBe('rgb(22, 32, 43)');
    const states = `globalThis.states = []; addEventListener('calls-state', ({ detail }) => states.push([detail.phase, detail.error?.code]))`;
    await page.evaluate(`${states}; 0`);
    await page.click('calls-widget >> text=Anrufen');
    await shows(page, 'The microphone is blocked.');
    expect(await page.evaluate('states')).toEqual([
      ['asking', undefined],
      ['failed', 'microphone_denied'],
    ]);
    expect(created).toBe(0);
    expect(await axeIssues(page)).toEqual([]);
  });
});

const setColour = {
  temporaryTool: {
    modelToolName: 'setColour',
    // A busy page responds late.
    timeout: '40s',
    dynamicParameters: [
      { name: 'colour', location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' }, required: true },
    ],
    client: {},
  },
};
