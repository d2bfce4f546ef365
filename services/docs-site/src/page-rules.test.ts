import { describe, expect, it } from '@jest/globals';
import { pageProblems } from './page-rules.ts';
import { parsePage } from './page.ts';

const START = '# Title\n\nWhat it is for.\n\n';

async function problems(text: string, path = 'guides/page.md'): Promise<string[]> {
  const found = await pageProblems([parsePage(path, text)]);
  return found.map((each) => `${each.path}:${each.line}: ${each.text}`);
}

describe('pageProblems', () => {
  it('accepts long lines in code, long links and cells of 80 characters', async () => {
    const code = `\`\`\`sh\n${'x '.repeat(90)}\n\`\`\`\n`;
    const link = `\n[${'x'.repeat(60)}](https://example.com/${'y'.repeat(60)})\n`;
    const table = `\n| a | b |\n| - | - |\n| ${'c'.repeat(80)} | d |\n`;
    expect(await problems(`---\norder: 1\n---\n\n${START}${code}${link}${table}`)).toEqual([]);
  });

  it.each([
    ['a line of more than 120 characters', `${START}${'word '.repeat(25)}\n`, /page\.md:5: Line length/u],
    [
      'a table cell of more than 80 characters',
      `${START}| a |\n| - |\n| ${'c'.repeat(81)} |\n`,
      /page\.md:7: table cell has 81 characters/u,
    ],
    ['a page without an introduction', '# Title\n\n## Part\n', /page\.md:1: must begin with a title/u],
    ['a heading that skips a level', `${START}### Deep\n`, /page\.md:5: Heading levels/u],
    ['two headings with the same text', `${START}## A\n\n## A\n`, /page\.md:7: Multiple headings/u],
  ])('rejects %s', async (_, text, problem) => {
    expect(await problems(text)).toEqual([expect.stringMatching(problem)]);
  });

  it('rejects a page in a folder that is not in the navigation', async () => {
    expect(await problems(START, 'drafts/page.md')).toEqual([
      expect.stringContaining('its folder is not in the navigation'),
    ]);
  });
});
