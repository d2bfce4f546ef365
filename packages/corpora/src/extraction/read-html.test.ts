import { describe, expect, it } from '@jest/globals';
import { htmlCharset, readHtml } from './read-html.ts';

const URL_HERE = 'https://museum.test/visit/index.html';

describe('readHtml', () => {
  it('extracts metadata, headings and text of a page, without navigation, scripts and footers', () => {
    const page = readHtml(
      `<!doctype html><html lang="en-GB"><head><title> The
      museum </title><meta name="description" content="All about it">
      <meta property="article:published_time" content="2024-05-06T07:08:09+02:00"><style>p{}</style></head>
      <body><nav><a href="/a">A</a></nav><h1>Visit <em>us</em></h1><p>Come
      in,   <b>please</b>.<br>We wait.</p><script>alert(1)</script>
      <ul><li>One</li><li>Two</li></ul><table><tr><td>Adults</td><td>4</td></tr></table>
      <pre>  a
    b</pre><h2>Prices</h2>Loose text<footer>Imprint</footer></body></html>`,
      URL_HERE,
    );
    expect(page).toMatchObject({
      title: 'The museum',
      language: 'en-GB',
      description: 'All about it',
      published: '2024-05-06T05:08:09.000Z',
      noIndex: false,
    });
    expect(
      page.blocks.map((block) => (block.kind === 'heading' ? [block.level, block.text] : block.text)),
    ).toEqual([
      [1, 'Visit us'],
      'Come in, please.\nWe wait.',
      'One',
      'Two',
      'Adults 4',
      'a\n    b',
      [2, 'Prices'],
      'Loose text',
    ]);
  });

  it('extracts the content of a form around the page, and the questions that open answers', () => {
    const page = readHtml(
      `<form id="aspnetForm"><h2><button>When do you open?</button></h2><p>At nine.</p><dl><dt><button>Price</button>
      <dd>Four coins</dl><button>Send</button><select><option>A</select></form>`,
      URL_HERE,
    );
    expect(page.blocks).toEqual([
      { kind: 'heading', level: 2, text: 'When do you open?' },
      { kind: 'text', text: 'At nine.' },
      { kind: 'text', text: 'Price' },
      { kind: 'text', text: 'Four coins' },
    ]);
  });

  it('resolves links, also those in the navigation, against the base URL of the page', () => {
    const links =
      '<a href="b">b</a><a href="/c#x">c</a><a rel="nofollow" href="d">d</a><a href="http://[">e</a>';
    expect(readHtml(`<nav><a href="../a">a</a></nav>${links}`, URL_HERE).links).toEqual([
      'https://museum.test/a',
      'https://museum.test/visit/b',
      'https://museum.test/c#x',
    ]);
    expect(readHtml(`<base href="https://other.test/x/">${links}`, URL_HERE).links[0]).toBe(
      'https://other.test/x/b',
    );
    expect(readHtml(links, null).links).toEqual([]);
  });

  it.each([
    ['0; url=../new/', 'https://museum.test/new/'],
    ["5;URL='/new?a=b;c'", 'https://museum.test/new?a=b;c'],
    ['0, https://museum.test/new', 'https://museum.test/new'],
    ['30', undefined],
  ])('takes the target of a refresh %p for a link', (content, link) => {
    const html = `<meta http-equiv="Refresh" content="${content}">`;
    expect(readHtml(html, URL_HERE)).toMatchObject({ links: link === undefined ? [] : [link], blocks: [] });
  });

  it('applies the robots directives of a page', () => {
    const robots = (content: string): unknown => {
      const { noIndex, links } = readHtml(
        `<meta name="Robots" content="${content}"><a href="/a">a</a>`,
        URL_HERE,
      );
      return [noIndex, links.length];
    };
    const previews = 'max-image-preview:none, max-video-preview: none';
    const contents = ['noindex', 'NOFOLLOW', 'none', 'all', previews, 'all, none'];
    expect(contents.map(robots)).toEqual([
      [true, 1],
      [false, 0],
      [true, 0],
      [false, 1],
      [false, 1],
      [true, 0],
    ]);
    expect(robots('noindex"><meta name="robots" content="max-snippet:-1')).toEqual([true, 1]);
  });

  it('reads pages with 50,000 levels of nesting', () => {
    const deep = `${'<div>'.repeat(50_000)}Deep${'</div>'.repeat(50_000)}`;
    expect(readHtml(deep, null).blocks).toEqual([{ kind: 'text', text: 'Deep' }]);
  });

  it('finds the encoding that a page declares', () => {
    expect(htmlCharset(Buffer.from('<html><meta charset="iso-8859-1">'))).toBe('iso-8859-1');
    expect(
      htmlCharset(Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">')),
    ).toBe('Shift_JIS');
    expect(htmlCharset(Buffer.from('<p>charset=x'))).toBeNull();
    for (const label of ['utf-16', 'UTF-16LE', 'unicode'])
      expect(htmlCharset(Buffer.from(`<meta charset="${label}">`))).toBeNull();
  });
});
