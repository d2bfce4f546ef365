import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '@calls/engine-ports/language-model';
import { composeReply } from './compose-reply.ts';

const WALL_MS = Date.UTC(2026, 10, 21, 14, 5);
const system = (content: string): ModelMessage => ({ role: 'system', content });
const user = (content: string): ModelMessage => ({ role: 'user', content });
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content });
const reply = (...messages: ModelMessage[]): string => composeReply(messages, WALL_MS).text;

const HOTEL = 'You are Anna, the receptionist of Hotel Miramar. Be brief.';
const SILENT_USER = '(The user has not said anything.)';
const HELLO = 'Hello! This is Anna, the receptionist of Hotel Miramar. How can I help you?';
const opening = [system(HOTEL), assistant('Good evening, how can I help you?')];
const answer = (...turns: string[]): string => reply(...opening, ...turns.map(user));

describe('composeReply, opening', () => {
  it.each([
    ['', 'Hello! How can I help you?'],
    [HOTEL, 'Hello! This is Anna, the receptionist of Hotel Miramar. How can I help you?'],
    ['You are a helpful assistant.', "Hello! I'm a helpful assistant. How can I help you?"],
    [
      'You are a support agent for Acme Corp named Sam Lee.',
      'Hello! This is Sam Lee, a support agent for Acme Corp. How can I help you?',
    ],
    [
      'Your name is Bob. You work at Big Bank and Trust.',
      'Hello! This is Bob from Big Bank and Trust. How can I help you?',
    ],
    ['Greet the caller with "Ciao, Pizza Uno!" and take orders.', 'Ciao, Pizza Uno!'],
    ['Greet the user with Good morning, Acme. Then help.', 'Good morning, Acme.'],
    ['You are an agent. Greet the user warmly.', "Hello! I'm an agent. How can I help you?"],
    ['Du bist ein Assistent.', 'Hello! How can I help you?'],
  ])('follows the system prompt %j with the greeting %j', (prompt, greeting) => {
    expect(reply(system(prompt))).toBe(greeting);
    expect(reply(system(prompt), user('Greet the user.'))).toBe(greeting);
  });

  it('returns a greeting when there are no messages', () => {
    expect(reply()).toBe('Hello! How can I help you?');
  });

  it.each([
    ['Say "Welcome back, Tom!"', 'Welcome back, Tom!'],
    ['Ask the caller: "Are you still there?"', 'Are you still there?'],
    ['Ask for the order number.', 'Could you tell me the order number, please?'],
    ['Greet them. Ask the caller for their name', `${HELLO} Could you tell me your name, please?`],
    ['Ask whether they are still there.', 'Are you still there?'],
    ['Ask the user how they are doing.', 'May I ask how you are doing?'],
    ['Ask if they need help with their booking.', 'May I ask whether you need help with your booking?'],
    ['Tell the caller that all lines are busy.', 'All lines are busy.'],
    ['Thank them for calling.', 'Thank you for calling.'],
    ['Welcome the caller back.', 'Welcome back!'],
    ['Introduce yourself.', HELLO],
    ['Be funny.', HELLO],
  ])('follows the opening prompt %j', (prompt, words) => {
    expect(reply(system(HOTEL), user(SILENT_USER), system(prompt))).toBe(words);
    expect(reply(system(HOTEL), system(prompt))).toBe(words);
  });

  it('does not treat the placeholder for a silent user as words of the caller', () => {
    expect(reply(system(HOTEL), user(SILENT_USER), assistant('Hello?'), user('my name is Ada'))).toMatch(
      /^Nice to meet you, Ada/,
    );
  });

  it('always returns the response that the instructions require', () => {
    expect(reply(system('Always answer with "One moment."'), user('hello'))).toBe('One moment.');
  });
});

describe('composeReply, turns', () => {
  it.each([
    ['front center', /You said: front center\./],
    ['i would like to book a table', /You said: i would like to book a table\./],
    ['What is the weather like today?', /You asked: What is the weather like today\..*don't know/],
    ['my name is john smith and i live in london', /^Nice to meet you, John Smith\./],
    ['can you please repeat that', /^I said: Good evening, how can I help you\?$/],
    ['yes that is correct', /^Very well/],
    ['no', /^I'm sorry/],
    ['please call me back at five thirty', /numbers five, thirty\. Is that right\?$/],
    ['my number is 555 1234', /numbers 555, 1234\./],
    ['are you a real person?', /small scripted model built into this server/],
    ['who are you', /^This is Anna, .*small scripted model built into this server/],
    ['i want to speak to a human being', /no person here/],
    ['what time is it', /^It is 2:05 PM, universal time\.$/],
    ['what day is it today', /^Today is Saturday, November 21, 2026\.$/],
    ['how do you spell sea?', /^S, E, A\.$/],
    ['repeat after me: the sea is blue', /^the sea is blue$/],
    ['thank you very much', /^You're welcome/],
    ['hello', /^Hello!/],
    ['how are you', /^I'm fine/],
    ['what can you do', /spell a word/],
    ['okay goodbye then', /^Goodbye!/],
    ['what is my name', /haven't told me/],
    ['', /didn't catch/],
    [' ... ', /didn't catch/],
  ])('responds to %j', (callerText, expected) => {
    expect(answer(callerText)).toMatch(expected);
  });

  it('remembers the name that the caller gave', () => {
    expect(answer('My name is Ada Lovelace.', 'what is my name')).toBe('Your name is Ada Lovelace.');
    expect(answer('My name is Ada Lovelace.', 'spell my name')).toBe('A, D, A, L, O, V, E, L, A, C, E.');
    expect(answer('My name is Ada Lovelace.', 'bye')).toMatch(/^Goodbye, Ada Lovelace!/);
  });

  it('treats "no" after "anything else?" as the end of the call', () => {
    expect(reply(system(HOTEL), assistant('Is there anything else I can do for you?'), user('no'))).toMatch(
      /goodbye!$/,
    );
  });

  it('repeats a repeated response without a second "I said"', () => {
    expect(reply(system(HOTEL), assistant('I said: Six rooms.'), user('say that again'))).toBe(
      'I said: Six rooms.',
    );
  });

  it('processes malicious input in little CPU time', () => {
    const before = process.threadCpuUsage();
    for (const piece of [
      'greet "',
      'you are a ',
      'my name is ',
      'user: ',
      'one ',
      'summary call ',
      '“',
      ' ',
    ]) {
      reply(system(piece.repeat(20_000)), user(piece.repeat(20_000)));
    }
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('composeReply, summaries', () => {
  const transcript = [
    'agent: Hello!',
    'user: hello there',
    'user: I would like to book a table for two tomorrow',
    'agent: Done, goodbye!',
  ].join('\n');

  it('quotes the most informative words of the caller from a transcript', () => {
    expect(reply(user(`Summarize this call in one sentence.\n\n${transcript}`))).toBe(
      'The caller said “I would like to book a table for two tomorrow”.',
    );
  });

  it('summarizes the message history when the request contains no transcript', () => {
    const history = [...opening, user('I want a room with a view'), assistant('Sure.'), user('thanks')];
    expect(reply(...history, user('Write a summary of the conversation.'))).toBe(
      "The caller said “I want a room with a view”. The agent's last words were “Sure”.",
    );
  });

  it('reports that nothing was said when the conversation is empty', () => {
    expect(reply(system(HOTEL), user('Summarize the call.'))).toBe('Nothing was said.');
    expect(reply(user('Summarize the call:\nagent: Hello!'))).toBe('The caller said nothing.');
  });
});
