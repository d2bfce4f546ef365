import { describe, expect, it } from '@jest/globals';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { requireQuick } from '@calls/testkit/long-form';
import type { Page } from 'playwright-core';
import { LossyPage } from '../bench/packet-loss/lossy-page.ts';
import { openSpeechToText } from '../bench/packet-loss/measure.ts';
import { sentences } from '../bench/packet-loss/speech.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { startSdkSite } from '../support/browser/sdk-site.ts';

const TIME_LIMIT_MS = 180_000;
/** Join timeout of the service. */
const JOIN_LIMIT_MS = 15_000;

describe('a web page on a restricted network', () => {
  it(
    'joins and receives intelligible speech with 10 % packet loss and 50 ms jitter',
    async () => {
      await using page = await LossyPage.open({
        lossPercent: 10,
        jitterMs: 50,
        delayMs: 30,
        keepsOrder: false,
      });
      await using stt = openSpeechToText();
      requireQuick(await page.join(), JOIN_LIMIT_MS);
      // With few words, a single loss burst would dominate the result.
      const said = await sentences(4);
      const transcripts: Promise<string>[] = [];
      for (const { samples } of said) transcripts.push(stt.recognise(await page.hear(samples)));
      const { lost, arrived } = page.relay.toClients;
      expect(lost / (lost + arrived)).toBeGreaterThan(0.06);
      const text = said.map((sentence) => sentence.text).join(' ');
      const received = (await Promise.all(transcripts)).join(' ');
      expect(wordErrorRate(text, received)).toBeLessThan(0.4);
      expect((await page.playout()).concealedPercent).toBeLessThan(15);
    },
    TIME_LIMIT_MS,
  );

  it(
    'receives an immediate error when CSP or mixed content rules block the service',
    async () => {
      await using site = await startSdkSite({
        'content-security-policy': "default-src 'self'; connect-src 'self'",
      });
      await using browser = await openBrowser(new Int16Array(4800));
      const { page } = browser;
      await page.goto(site.url);
      const byPolicy = await refusal(page, 'wss://calls.test/join/1');
      expect(byPolicy).toMatchObject({
        code: 'connection_blocked',
        message: expect.stringContaining('add wss://calls.test to its connect-src'),
      });
      requireQuick(byPolicy.tookMs, 3000);

      await page.route('https://site.test/**', async (route) => {
        const { pathname } = new URL(route.request().url());
        const response = await fetch(new URL(pathname, site.url));
        const contentType = response.headers.get('content-type') ?? '';
        await route.fulfill({ contentType, body: await response.text() });
      });
      await page.goto('https://site.test/');
      expect(await refusal(page, 'ws://calls.test/join/1')).toMatchObject({
        code: 'connection_blocked',
        message: expect.stringContaining('wss: URLs'),
      });
    },
    TIME_LIMIT_MS,
  );
});

function refusal(page: Page, joinUrl: string): Promise<{ code: string; message: string; tookMs: number }> {
  return page.evaluate(`(async () => {
    const { CallSession } = await import('/sdk/calls-client.js');
    const startedMs = performance.now();
    const { code, message } = await new CallSession()
      .joinCall(${JSON.stringify(joinUrl)}, { microphone: false })
      .catch((error) => error);
    return { code, message, tookMs: performance.now() - startedMs };
  })()`);
}
