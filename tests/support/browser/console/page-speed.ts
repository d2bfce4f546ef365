import type { Browser } from 'playwright-core';
import { eventually } from '../../eventually.ts';
import { PAGE_LIMIT_MS } from '../open-browser.ts';

/** Network and CPU conditions of Lighthouse, applied instead of simulated. */
export const CONDITIONS = {
  desktop: { latencyMs: 40, kbits: 10_240, cpuSlowdown: 1, width: 1350, height: 940 },
  phone: { latencyMs: 150, kbits: 1638, cpuSlowdown: 4, width: 412, height: 823 },
} as const;

const LONG_TASK_MS = 50;
/** The page counts as loaded after this time without requests and long tasks. */
const QUIET_MS = 1000;
const OBSERVE = `globalThis.speed = { fcpMs: 0, lcpMs: 0, cls: 0, tbtMs: 0, lastMs: 0 };
for (const [type, take] of [
  ['paint', (entry) => { if (entry.name === 'first-contentful-paint') speed.fcpMs = entry.startTime; }],
  ['largest-contentful-paint', (entry) => { speed.lcpMs = entry.startTime; }],
  ['layout-shift', (entry) => { if (!entry.hadRecentInput) speed.cls += entry.value; }],
  ['longtask', (entry) => { speed.tbtMs += Math.max(0, entry.duration - ${LONG_TASK_MS}); }],
]) new PerformanceObserver((list) => { for (const entry of list.getEntries()) { take(entry); speed.lastMs = performance.now(); } })
  .observe({ type, buffered: true });`;
const IS_QUIET = `speed.lcpMs > 0 && performance.now() - speed.lastMs > ${QUIET_MS}`;

export interface PageSpeed {
  firstContentfulPaintMs: number;
  largestContentfulPaintMs: number;
  cumulativeLayoutShift: number;
  totalBlockingMs: number;
  /** Compressed size, as transferred. */
  scriptBytes: number;
  allBytes: number;
}

/** Measures the first load of a page with an empty cache. `cookie`: cookie of a console session. */
export async function measureLoad(
  browser: Browser,
  url: string,
  under: (typeof CONDITIONS)[keyof typeof CONDITIONS],
  cookies: Parameters<Awaited<ReturnType<Browser['newContext']>>['addCookies']>[0],
): Promise<PageSpeed> {
  const { latencyMs, kbits, cpuSlowdown, width, height } = under;
  const context = await browser.newContext({ viewport: { width, height } });
  try {
    await context.addCookies(cookies);
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    const session = await context.newCDPSession(page);
    const bytes = { script: 0, all: 0 };
    const scripts = new Set<string>();
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes.all += encodedDataLength;
      if (scripts.has(requestId)) bytes.script += encodedDataLength;
    });
    await session.send('Network.enable');
    const bytesPerSecond = (kbits * 1024) / 8;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
    await page.goto(url, { waitUntil: 'load', timeout: PAGE_LIMIT_MS });
    await eventually(async () => {
      if (!(await page.evaluate<boolean>(IS_QUIET))) throw new Error('the page is not quiet yet');
    }, PAGE_LIMIT_MS);
    const speed = await page.evaluate<Record<'fcpMs' | 'lcpMs' | 'cls' | 'tbtMs', number>>('speed');
    return {
      firstContentfulPaintMs: Math.round(speed.fcpMs),
      largestContentfulPaintMs: Math.round(speed.lcpMs),
      cumulativeLayoutShift: Math.round(speed.cls * 1000) / 1000,
      totalBlockingMs: Math.round(speed.tbtMs),
      scriptBytes: bytes.script,
      allBytes: bytes.all,
    };
  } finally {
    await context.close();
  }
}
