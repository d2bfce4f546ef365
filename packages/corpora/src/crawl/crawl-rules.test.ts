import { describe, expect, it } from '@jest/globals';
import { charsetOf, documentMimeType } from '../mime-types.ts';
import { isRelevant, pageUrl, robotsRules, robotsTag } from './crawl-rules.ts';

describe('pageUrl', () => {
  it.each([
    ['HTTPS://Museum.Test:443/a/../b?x=1#top', 'https://museum.test/b?x=1'],
    ['http://museum.test', 'http://museum.test/'],
    ['mailto:a@museum.test', null],
    ['javascript:alert(1)', null],
    ['https://user:secret@museum.test/', null],
    ['/relative', null],
    [`https://museum.test/${'x'.repeat(2048)}`, null],
  ])('normalizes or rejects %p', (text, url) => {
    expect(pageUrl(text)).toBe(url);
  });
});

describe('robotsRules', () => {
  const rules = (text: string): ReturnType<typeof robotsRules> =>
    robotsRules('https://museum.test/robots.txt', text);

  it('applies the group for the crawler’s user agent, otherwise the group for all', () => {
    const ours = rules('User-agent: *\nDisallow: /\n\nUser-agent: svc-crawler\nDisallow: /x\nCrawl-delay: 2');
    expect(ours.allows('https://museum.test/a')).toBe(true);
    expect(ours.allows('https://museum.test/x/y')).toBe(false);
    expect(ours.delayMs).toBe(2000);
    expect(rules('User-agent: *\nDisallow: /').allows('https://museum.test/a')).toBe(false);
  });

  it('allows everything when the file has no rules, and limits the crawl delay to 5 s', () => {
    expect(rules('<html>no robots</html>')).toMatchObject({ delayMs: 0 });
    expect(rules('').allows('https://museum.test/')).toBe(true);
    expect(rules('User-agent: *\nCrawl-delay: 9999').delayMs).toBe(5000);
  });
});

describe('robotsTag', () => {
  it.each([
    ['', false, false],
    ['noindex', true, false],
    ['NoFollow , noindex', true, true],
    ['none', true, true],
    ['max-snippet: 0, max-image-preview:none, noindex', true, false],
    ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow', false, true],
    ['googlebot: noindex, nofollow', false, false],
    ['googlebot: nofollow, svc-crawler: noindex', true, false],
    ['nofollow, googlebot: noindex', false, true],
  ])('reads %p', (header, noIndex, noFollow) => {
    expect(robotsTag(header)).toEqual({ noIndex, noFollow });
  });
});

describe('document types', () => {
  it('are determined from the media type, and the charset from its parameters', () => {
    expect(documentMimeType('Text/HTML; charset=utf-8')).toBe('text/html');
    expect(documentMimeType('application/xhtml+xml')).toBe('text/html');
    expect(documentMimeType('constructor')).toBeNull();
    expect(documentMimeType('image/png')).toBeNull();
    expect(charsetOf('text/html; x=1; Charset="ISO-8859-1"')).toBe('ISO-8859-1');
    expect(charsetOf('text/html')).toBeNull();
  });

  it('are relevant unless they are excluded or not among the included types', () => {
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
