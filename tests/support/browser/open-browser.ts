import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '@calls/audio/wav';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Path of Debian's Chromium for headless use. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell';
export const MICROPHONE_RATE_HZ = 48_000;
/** Time limit of the start and of every wait in a page. It is long, because tests may run on a busy machine. */
export const PAGE_LIMIT_MS = 120_000;

/** Chromium of Debian with one page, which may use its microphone. */
export interface TestBrowser extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the page. */
  readonly errors: string[];
}

/** `microphone`: audio that plays once when the page opens the microphone, followed by silence. */
export async function openBrowser(microphone: Int16Array): Promise<TestBrowser> {
  const launched = await launchChromium(microphone);
  const page = await launched.browser.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors, [Symbol.asyncDispose]: () => launched[Symbol.asyncDispose]() };
}

/** Like `openBrowser`, but without a page. */
export async function launchChromium(
  microphone: Int16Array,
): Promise<AsyncDisposable & { readonly browser: Browser }> {
  const directory = await mkdtemp(join(tmpdir(), 'browser-'));
  const path = join(directory, 'microphone.wav');
  await writeFile(path, encodeWav(microphone, MICROPHONE_RATE_HZ));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    timeout: PAGE_LIMIT_MS,
    args: [
      '--no-sandbox',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${path}%noloop`,
    ],
  });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(directory, { recursive: true });
    },
  };
}
