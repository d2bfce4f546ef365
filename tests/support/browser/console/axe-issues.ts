import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const IS_LOADED = `'axe' in globalThis`;
const RUN = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(
  ({ impact, id, help, nodes }) => ({ impact, id, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`;

interface Violation {
  impact: string | null;
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** The serious and critical accessibility violations that axe finds in the page, one line each. */
export async function axeIssues(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(IS_LOADED))) await page.evaluate(SCRIPT);
  const violations = await page.evaluate<Violation[]>(RUN);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes
        .slice(0, 3)
        .map(
          ({ html, failureSummary = '' }) =>
            `${id}: ${help}: ${html.slice(0, 160)} ${lineOf(failureSummary)}`,
        ),
    );
}

function lineOf(summary: string): string {
  return summary.replaceAll(/\s+/gu, ' ').slice(0, 200);
}
