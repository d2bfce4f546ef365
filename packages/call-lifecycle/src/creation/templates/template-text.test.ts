import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseText, renderText, variablesOf } from './template-text.ts';

const MAX = 1_000_000;
const name = fc.stringMatching(/^[a-z_$][a-z0-9_$-]{0,5}$/u);
/** Text without a tag in it. */
const plain = fc.string().map((text) => text.replaceAll('{', '('));

describe('templated texts', () => {
  it.each([
    ['Hello {{name}}!', 'Hello Ada!'],
    ['{{ name }}{{name}}', 'AdaAda'],
    ['{{user.city.name}}', 'Rome'],
    ['{{{name}}} & {{&name}} {{& name }}', 'Ada & Ada Ada'],
    ['<{{html}}>', '<<b>"&>'],
    ['{{missing}}|{{user.missing}}|{{name.length}}|{{nothing}}', '|||'],
    ['{{count}} {{flag}} {{user.city}} {{list}}', '3 false {"name":"Rome"} [1,"a"]'],
    ['{{list.1}}', 'a'],
    ['{{constructor}}{{user.toString}}', ''],
    ['a {{! a note }}b', 'a b'],
    ['{{grüße}}{{$x}}{{a-b_c}}', 'hallo$-'],
    ['{"a": {"b": 1}} }} {', '{"a": {"b": 1}} }} {'],
    ['{{tag}}', '{{name}}'],
  ])('render %j', (text, rendered) => {
    const context = {
      name: 'Ada',
      html: '<b>"&',
      user: { city: { name: 'Rome' } },
      nothing: null,
      count: 3,
      flag: false,
      list: [1, 'a'],
      grüße: 'hallo',
      $x: '$',
      'a-b_c': '-',
      tag: '{{name}}',
    };
    expect(renderText(text, context, MAX)).toBe(rendered);
  });

  it.each([
    ['{{#each}}x{{/each}}', 'sections'],
    ['{{^none}}', 'sections'],
    ['{{/end}}', 'sections'],
    ['{{> other}}', 'partials'],
    ['{{=<% %>=}}', 'delimiters'],
    ['a {{name', 'without a "}}"'],
    ['a {{{name}} b', 'without a "}}}"'],
    ['{{}}', 'name of a variable'],
    ['{{.}}', 'name of a variable'],
    ['{{a..b}}', 'name of a variable'],
    ['{{a b}}', 'name of a variable'],
    ['{{"a": 1}}', 'name of a variable'],
    ['{{a.__proto__}}', 'name of a variable'],
    [`{{${'a'.repeat(257)}}}`, 'name of a variable'],
  ])('reject %j', (text, why) => {
    expect(parseText(text)).toEqual({ issue: expect.stringContaining(why) });
  });

  it('replace every tag and change no other text', () => {
    const pieces = fc.array(fc.oneof(plain, fc.record({ name, value: plain })));
    fc.assert(
      fc.property(pieces, fc.uniqueArray(name), (parts, path) => {
        const at = (each: string): string[] => [...path, each];
        const variables = parts.filter((part) => typeof part !== 'string');
        const values = Object.fromEntries(variables.map((part) => [part.name, part.value]));
        const context = path.reduceRight<object>((inner, key) => ({ [key]: inner }), values);
        const text = parts
          .map((part) => (typeof part === 'string' ? part : `{{${at(part.name).join('.')}}}`))
          .join('');
        expect(renderText(text, context, MAX)).toBe(
          parts.map((part) => (typeof part === 'string' ? part : values[part.name])).join(''),
        );
        expect(variablesOf(text)).toEqual(variables.map((part) => at(part.name)));
      }),
    );
  });

  it('are either rejected or rendered completely, whatever characters of tags they contain', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('{', '}', 'a', '.', '#', '!', '&', ' ', '\n')), (characters) => {
        const text = characters.join('');
        const parsed = parseText(text);
        if (!('issue' in parsed)) expect(renderText(text, {}, MAX)).not.toContain('{{a');
      }),
    );
  });

  it('are parsed in linear time, even with many unclosed tags', () => {
    const before = process.threadCpuUsage();
    for (const text of ['{{'.repeat(250_000), '{{a}}'.repeat(100_000), '{'.repeat(500_000)]) parseText(text);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('render to null when the result would exceed the length limit', () => {
    const text = '{{value}}'.repeat(10_000);
    expect(renderText(text, { value: 'x'.repeat(100_000) }, 200_000)).toBeNull();
    expect(renderText(text, { value: 'x' }, 10_000)).toHaveLength(10_000);
    expect(renderText(text, { value: 'x' }, 9999)).toBeNull();
  });
});
