import { describe, expect, it } from '@jest/globals';
import { charsetOf, documentMimeType } from '../mime-types.ts';
import { isRelevant, pageUrl, robotsRules } from './crawl-rules.ts';

describe('pageUrl', () => {
  it.each([
    ['HTTPS://Museum.Test:443/a/../b?x=1#top', 'https://museum.test/b?x=1'],
    ['http://museum.test', 'http://museum.test/'],
    ['mailto:a@museum.test', null],
    ['javascript:alert(1)', null],
    ['https://user:secret@museum.test/', null],
    ['/relative', null],
    [`https://museum.test/${'x'.repeat(2048)}`, null],
  ])('of %p', (text, url) => {
    expect(pageUrl(text)).toBe(url);
  });
});

describe('robotsRules', () => {
  const rules = (text: string): ReturnType<typeof robotsRules> =>
    robotsRules('https://museum.test/robots.txt', text);

  it('allow and forbid by the group that names us, otherwise by the one for all', () => {
    const ours = rules('User-agent: *\nDisallow: /\n\nUser-agent: svc-crawler\nDisallow: /x\nCrawl-delay: 2');
    expect(ours.allows('https://museum.test/a')).toBe(true);
    expect(ours.allows('https://museum.test/x/y')).toBe(false);
    expect(ours.delayMs).toBe(2000);
    expect(rules('User-agent: *\nDisallow: /').allows('https://museum.test/a')).toBe(false);
  });

  it('say nothing where the file says nothing, and never make us wait for long', () => {
    expect(rules('<html>no robots</html>')).toMatchObject({ delayMs: 0 });
    expect(rules('').allows('https://museum.test/')).toBe(true);
    expect(rules('User-agent: *\nCrawl-delay: 9999').delayMs).toBe(5000);
  });
});

describe('types of documents', () => {
  it('are selected by the media type without its parameters', () => {
    expect(documentMimeType('Text/HTML; charset=utf-8')).toBe('text/html');
    expect(documentMimeType('application/xhtml+xml')).toBe('text/html');
    expect(documentMimeType('constructor')).toBeNull();
    expect(documentMimeType('image/png')).toBeNull();
    expect(charsetOf('text/html; x=1; Charset="ISO-8859-1"')).toBe('ISO-8859-1');
    expect(charsetOf('text/html')).toBeNull();
  });

  it('are relevant unless others are named, or they are left out', () => {
    const filter = {
      include: { mimeTypes: ['text/html', 'APPLICATION/PDF'] },
      exclude: { mimeTypes: ['text/html'] },
    };
    expect(isRelevant('text/plain', undefined)).toBe(true);
    expect(isRelevant('text/plain', { include: { mimeTypes: [] } })).toBe(true);
    expect(['text/html', 'application/pdf', 'text/plain'].map((type) => isRelevant(type, filter))).toEqual([
      false,
      true,
      false,
    ]);
  });
});
