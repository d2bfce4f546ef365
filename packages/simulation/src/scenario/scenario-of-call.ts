import { BUILT_IN_TOOL_NAMES } from '@calls/api-contract/built-in-tool-names';
import { durationToMs } from '@calls/api-contract/duration';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';
import type { ScriptStep, TestScenario, ToolStub } from '@calls/api-contract/rest/test-scenario';

/** A call as the API returns it: its messages in order, and the times of `interrupted` events. */
export interface StoredCall {
  callId: string;
  isPhone: boolean;
  endReason: EndReason | null;
  messages: readonly Message[];
  interruptedAtMs: readonly number[];
}

/** Words of the agent after which the caller interrupts. */
const CUE_WORDS = 4;
/** Built-in tools work in simulated calls; `queryCorpus` needs a stub. */
const UNSTUBBED: ReadonlySet<string> = new Set(BUILT_IN_TOOL_NAMES.filter((name) => name !== 'queryCorpus'));
const KEYS = /^[0-9*#A-D]+$/u;

interface Step {
  step: ScriptStep;
  /** What the agent said before. */
  said: readonly string[];
}

/** A scenario in which a caller does what the user of the call did, and tools return what they returned. */
export function scenarioOf(call: StoredCall): TestScenario {
  const tools = stubsOf(call.messages);
  return {
    name: `call ${call.callId}`,
    description:
      'Made from a call. Change the expectations to what the agent should have done, and add the templateContext.',
    call: { medium: call.isPhone ? 'phone' : 'web' },
    caller: { script: stepsOf(call).map(({ step }) => step) },
    ...(Object.keys(tools).length > 0 && { tools }),
    expect: expectationsOf(call),
  };
}

/** What the agent said before each step of the scenario of a call. */
export function agentLinesOf(call: StoredCall): (readonly string[])[] {
  return stepsOf(call).map(({ said }) => said);
}

function stepsOf({ messages, interruptedAtMs, isPhone }: StoredCall): Step[] {
  const steps: Step[] = [];
  let said: string[] = [];
  let agentStartMs: number | null = null;
  for (const { role = 'MESSAGE_ROLE_USER', text = '', medium, timespan } of messages) {
    if (role === 'MESSAGE_ROLE_AGENT') {
      said.push(text);
      agentStartMs = timespan?.start === undefined ? null : durationToMs(timespan.start);
    }
    if (role !== 'MESSAGE_ROLE_USER' || text.trim() === '') continue;
    const endMs = timespan?.end === undefined ? Number.POSITIVE_INFINITY : durationToMs(timespan.end);
    const fromMs = agentStartMs;
    const hasInterrupted = fromMs !== null && interruptedAtMs.some((atMs) => atMs >= fromMs && atMs <= endMs);
    const after = (said.at(-1) ?? '').split(/\s+/u).filter(Boolean).slice(-CUE_WORDS).join(' ');
    steps.push({
      step: stepOf(text, medium === 'MESSAGE_MEDIUM_TEXT', isPhone, hasInterrupted ? after : ''),
      said,
    });
    said = [];
    agentStartMs = null;
  }
  return steps;
}

function stepOf(text: string, isText: boolean, isPhone: boolean, after: string): ScriptStep {
  if (isText) return isPhone && KEYS.test(text) ? { press: text } : { type: text };
  return after === '' ? { say: text } : { interrupt: { after, say: text } };
}

function stubsOf(messages: readonly Message[]): Record<string, ToolStub[]> {
  const stubs: Record<string, ToolStub[]> = {};
  for (const { role, toolName, text = '', errorDetails, callState } of messages) {
    if (role !== 'MESSAGE_ROLE_TOOL_RESULT' || toolName === undefined || UNSTUBBED.has(toolName)) continue;
    const result = errorDetails === undefined ? { result: parsed(text) } : { error: errorDetails };
    (stubs[toolName] ??= []).push({ ...result, ...(callState && { updateCallState: callState }) });
  }
  return stubs;
}

function expectationsOf({ messages, endReason }: StoredCall): NonNullable<TestScenario['expect']> {
  const tools = messages.flatMap(({ role, toolName, text = '' }) => {
    if (role !== 'MESSAGE_ROLE_TOOL_CALL' || toolName === undefined) return [];
    const values = parsed(text);
    const isObject = typeof values === 'object' && values !== null;
    return [{ name: toolName, ...(isObject && { arguments: Object.fromEntries(Object.entries(values)) }) }];
  });
  const state = messages.findLast(({ callState }) => callState !== undefined)?.callState;
  return {
    ...(tools.length > 0 && { tools, toolOrder: 'listed' as const }),
    ...(state && { state }),
    ...(endReason !== null && { endReason }),
  };
}

/** The value of a JSON text; other texts as they are. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
