import { describe, expect, it } from '@jest/globals';
import type { ModelMessage, ModelTool } from '@calls/engine-ports/language-model';
import { composeReply, type Reply } from './compose-reply.ts';

type Properties = Record<string, Record<string, unknown>>;

function tool(
  name: string,
  description: string,
  properties: Properties = {},
  required?: string[],
): ModelTool {
  const parameters = { type: 'object', properties, required: required ?? Object.keys(properties) };
  return { name, description, parameters };
}

const TEXT = { type: 'string' };
const HANG_UP = tool('hangUp', 'Ends the call.', { reason: TEXT }, []);
const CORPUS = tool(
  'queryCorpus',
  'Looks up passages in the knowledge base.',
  { query: TEXT, max_results: { type: 'integer' } },
  ['query'],
);
const WEATHER = tool('get_weather', 'The weather in a city.', { city: TEXT });
const FORECAST = tool(
  'weatherForecast',
  'What the weather will be.',
  { city: TEXT, days: { type: 'integer' }, unit: { enum: ['celsius', 'fahrenheit'] } },
  ['city', 'days'],
);
const HOURS = tool('opening_hours', 'When the shops of a district open and close.', { day: TEXT }, []);
const TRANSFER = tool('cold_transfer', 'Hands the call over to a person.', { target: TEXT });
const PIZZA = tool('order_pizza', 'Orders a pizza.', {
  size: { enum: ['small', 'extra large'] },
  address: TEXT,
});
const ALL = [HANG_UP, CORPUS, WEATHER, FORECAST, HOURS, TRANSFER, PIZZA];

const opening: ModelMessage[] = [
  { role: 'system', content: 'You are Anna.' },
  { role: 'assistant', content: 'Hello! Is there anything else I can do?' },
];
const answer = (callerText: string, tools = ALL): Reply =>
  composeReply([...opening, { role: 'user', content: callerText }], 0, tools);

describe('composeReply with tools', () => {
  it.each([
    ["What's the weather in Paris?", 'get_weather', { city: 'Paris' }],
    ['use the weather tool for new york please', 'get_weather', { city: 'new york' }],
    ['How is the weather in the Hague today?', 'get_weather', { city: 'Hague' }],
    [
      'give me the weather forecast of thirteen days in fahrenheit for Rome',
      'weatherForecast',
      { city: 'Rome', days: 13, unit: 'fahrenheit' },
    ],
    ['call weatherForecast for two days in Rome', 'weatherForecast', { city: 'Rome', days: 2 }],
    ['your opening hours on Monday', 'opening_hours', { day: 'Monday' }],
    ['when does a district shop close', 'opening_hours', {}],
    [
      'order an extra large pizza to 5 Main Street',
      'order_pizza',
      { size: 'extra large', address: '5 Main Street' },
    ],
    ['Who is the mayor of Rome?', 'queryCorpus', { query: 'Who is the mayor of Rome' }],
  ])('responds to %j with a call of %s', (callerText, name, args) => {
    const tools = name === 'weatherForecast' ? ALL.filter((each) => each !== WEATHER) : ALL;
    expect(answer(callerText, tools)).toEqual({ text: '', call: { name, arguments: args } });
  });

  it.each([
    ['goodbye then', /^Goodbye!/],
    ['no', /goodbye!$/],
  ])('responds to %j with a goodbye and hangs up', (callerText, words) => {
    const reply = answer(callerText);
    expect(reply.text).toMatch(words);
    expect(reply.call).toEqual({ name: 'hangUp', arguments: { reason: 'The caller asked for it.' } });
    expect(answer(callerText, [CORPUS]).call).toBeUndefined();
  });

  it.each([
    ['what about the weather', 'a required argument is missing'],
    ['use the weather tool for weather', 'the word that names the tool is not a city'],
    ['order a pizza to 5 Main Street', 'the size is missing'],
    ['the sea is blue', 'the caller requests nothing'],
    ['I want to speak to a person', 'the script has its own response'],
    ["please don't hang up", 'the caller does not end the call'],
    ['repeat after me: goodbye', 'the word is quoted'],
  ])('responds to %j without a tool call: %s', (callerText) => {
    const tools = ALL.filter((each) => each !== CORPUS);
    const reply = answer(callerText, tools);
    expect(reply.text).not.toBe('');
    expect(reply.call).toBeUndefined();
  });

  it.each([
    ['Snow in Paris today.', 'Snow in Paris today.'],
    [
      '{"city":"Paris","now":{"degrees":-2,"sky_is":"clear"},"sun":null}',
      'city: Paris, now: degrees: -2, sky is: clear, sun: none.',
    ],
    ['["red","green"]', 'red, green.'],
    ['[]', 'I found nothing about that.'],
    [
      '[{"content":"Breakfast is from\\nseven to ten","score":0.9}]',
      'I found this: Breakfast is from seven to ten.',
    ],
    ['Error: city is required', "I'm sorry, that did not work: city is required."],
    ['', 'That is done.'],
  ])('reads out the tool result %j', (content, words) => {
    const messages: ModelMessage[] = [
      ...opening,
      { role: 'user', content: "What's the weather in Paris?" },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', content },
    ];
    expect(composeReply(messages, 0, ALL)).toEqual({ text: words });
  });

  it('continues normally after a tool result', () => {
    const messages: ModelMessage[] = [
      ...opening,
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', content: 'Snow.' },
      { role: 'assistant', content: 'Snow.' },
      { role: 'user', content: 'say that again' },
    ];
    expect(composeReply(messages, 0, ALL).text).toBe('I said: Snow.');
  });

  it('processes malicious schemas and input in little CPU time', () => {
    const before = process.threadCpuUsage();
    const odd = { ...WEATHER, parameters: { properties: ['a', null], required: 'all' } };
    for (const piece of ['weather in ', 'to ', '1 ', 'tool ', '.'])
      answer(piece.repeat(20_000), [odd, ...ALL]);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
