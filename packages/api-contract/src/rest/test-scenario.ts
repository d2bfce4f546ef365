import { described, Pattern } from '@calls/foundation/schema/annotations';
import { Closed, JsonObject, OneOf } from '@calls/foundation/schema/objects';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { ToolReaction, ToolResponseType } from '../data-messages/tool-results.ts';
import { Duration, durationToMs } from '../duration.ts';
import { EndReason } from './enums.ts';

const MAX_STEPS = 200;
const MAX_CHECKS = 50;
const MAX_TURNS = 50;

const Line = Type.String({ minLength: 1, maxLength: 4096 });

const TextMatch = Type.String({
  minLength: 1,
  maxLength: 1024,
  description:
    'Words that the text contains, ignoring case and punctuation; `/…/`: a regular expression (RE2), ignoring case.',
});

const Interruption = Closed(
  {
    after: described(Line, 'Words of the agent. The caller begins when they have been played.'),
    say: described(Line, 'What the caller says.'),
  },
  'TestInterruption',
  'The caller speaks over the agent.',
);

export const ScriptStep = OneOf(
  {
    say: Type.Optional(described(Line, 'The caller says this when the agent has finished.')),
    interrupt: Type.Optional(Interruption),
    silence: Type.Optional(described(Duration, 'The caller is silent for this long.')),
    press: Type.Optional(
      Pattern('^[0-9*#A-D]{1,64}$', 'must be keys of a phone: 0 to 9, *, #, A to D', {
        description: 'The caller presses these keys; phone calls only.',
      }),
    ),
    type: Type.Optional(described(Line, 'The caller writes this.')),
    agentSays: Type.Optional(
      described(TextMatch, 'The last response of the agent must match. Otherwise the script ends here.'),
    ),
    hangUp: Type.Optional(Type.Literal(true, { description: 'The caller hangs up.' })),
  },
  'TestScriptStep',
  1,
  'One step of a scripted caller. After the last, the caller waits for the response and hangs up.',
);
export type ScriptStep = Static<typeof ScriptStep>;

const Noise = Closed(
  {
    snrDb: Type.Number({ minimum: -10, maximum: 60, description: 'Speech level above the noise, in dB.' }),
  },
  'TestNoise',
  'Pink noise in the audio of the caller, in voice mode.',
);

const Caller = Closed(
  {
    script: Type.Optional(
      Type.Array(ScriptStep, { maxItems: MAX_STEPS, description: 'What the caller does, in order.' }),
    ),
    goal: Type.Optional(
      described(
        Line,
        'What the caller wants. A language model plays the caller; without one, the test is skipped.',
      ),
    ),
    persona: Type.Optional(described(Line, 'Who the caller is and how they speak; only with `goal`.')),
    maxTurns: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TURNS,
        description: 'The caller hangs up after this many turns; only with `goal`. Defaults to 20.',
      }),
    ),
    voice: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Voice of the caller in voice mode: `slt` (default), `rms`, `awb` or `kal16` of flite, or one of espeak-ng.',
      }),
    ),
    noise: Type.Optional(Noise),
  },
  'TestCaller',
  'The simulated caller. Exactly one of `script` and `goal` is set.',
);

const Stub = Closed(
  {
    result: Type.Optional(
      Type.Unknown({
        description:
          'Result of the tool. Values other than strings are sent as JSON. Defaults to an empty string.',
      }),
    ),
    error: Type.Optional(Type.String({ maxLength: 4096, description: 'The tool fails with this message.' })),
    delay: Type.Optional(described(Duration, 'How long the tool takes. Defaults to 0.2s.')),
    responseType: Type.Optional(described(ToolResponseType, 'What the result requests.')),
    agentReaction: Type.Optional(described(ToolReaction, 'How the agent reacts to the result.')),
    updateCallState: Type.Optional(described(JsonObject, 'Changes of the state of the call.')),
  },
  'TestToolStub',
  'Replaces a tool.',
);
export type ToolStub = Static<typeof Stub>;

const ExpectedToolCall = Closed(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: 'Name that the model sees.' }),
    arguments: Type.Optional(
      described(
        JsonObject,
        'Arguments that the call must have; it may have others. Strings of the form `/…/` are regular expressions (RE2).',
      ),
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'How many calls match; by default one or more. 0: no call may match.',
      }),
    ),
  },
  'ExpectedToolCall',
  'Calls of a tool that must happen.',
);
export type ExpectedToolCall = Static<typeof ExpectedToolCall>;

const Latency = Closed(
  {
    p50: Type.Optional(described(Duration, 'Median of all turns.')),
    max: Type.Optional(described(Duration, 'Slowest turn.')),
  },
  'ExpectedLatency',
  'Upper limits for the time from the last speech of the caller to the first audio of the response.',
);

const Expectations = Closed(
  {
    tools: Type.Optional(
      Type.Array(ExpectedToolCall, { maxItems: MAX_CHECKS, description: 'Tool calls that are expected.' }),
    ),
    toolOrder: Type.Optional(
      Type.Enum(['any', 'listed'], {
        description:
          'Whether the first match of each entry of `tools` comes after that of the entry before. Defaults to `any`.',
      }),
    ),
    state: Type.Optional(
      described(JsonObject, 'Values that the state of the call must have at the end; it may have others.'),
    ),
    stages: Type.Optional(
      Type.Array(TextMatch, {
        maxItems: MAX_CHECKS,
        description:
          'Prompts of the stages after the first, in order. An empty list: the stage never changes.',
      }),
    ),
    endReason: Type.Optional(described(EndReason, 'Why the call ends.')),
    transferTo: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Where the call is transferred to: a phone number or SIP URI.',
      }),
    ),
    says: Type.Optional(
      Type.Array(TextMatch, { maxItems: MAX_CHECKS, description: 'What the agent says at some point.' }),
    ),
    neverSays: Type.Optional(
      Type.Array(TextMatch, { maxItems: MAX_CHECKS, description: 'What the agent must not say.' }),
    ),
    interruptions: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'How often the agent is interrupted.' }),
    ),
    latency: Type.Optional(Latency),
    judge: Type.Optional(
      Type.Array(Line, {
        maxItems: 10,
        description:
          'Statements about the conversation that a language model judges, after all other checks have passed.',
      }),
    ),
  },
  'TestExpectations',
  'What must be true of the conversation.',
);
export type Expectations = Static<typeof Expectations>;

export const TestScenario = Closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Name of the scenario; unique in a run.',
    }),
    description: Type.Optional(Type.String({ maxLength: 4096, description: 'What the scenario is for.' })),
    call: Type.Optional(
      Closed(
        {
          medium: Type.Optional(
            Type.Enum(['web', 'phone'], {
              description: 'How the caller is connected. Defaults to the medium of the agent.',
            }),
          ),
          templateContext: Type.Optional(described(JsonObject, 'Values for the variables of the agent.')),
        },
        'TestCall',
        'How the agent is called.',
      ),
    ),
    caller: Caller,
    tools: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: 64 }),
        Type.Union([Stub, Type.Array(Stub, { minItems: 1, maxItems: MAX_CHECKS })]),
        {
          maxProperties: MAX_CHECKS,
          description:
            'Stubs of tools, by the name that the model sees. With a list, each call uses the next stub; further calls use the last one.',
        },
      ),
    ),
    expect: described(Type.Optional(Expectations), 'What must be true of the conversation.'),
  },
  'TestScenario',
  'A simulated caller and what must be true of the conversation with it.',
);
export type TestScenario = Static<typeof TestScenario>;

const validator = compileValidator('scenario', TestScenario);

/** All issues of a scenario. Accepts any value. */
export function scenarioIssues(value: unknown): Issue[] {
  const issues = validator.issues(value);
  if (issues.length > 0) return issues;
  const { caller, tools = {} } = value as TestScenario;
  const path = 'caller';
  if ((caller.script === undefined) === (caller.goal === undefined))
    issues.push({ path, message: 'must have exactly one of script and goal' });
  for (const name of ['persona', 'maxTurns'] as const)
    if (caller[name] !== undefined && caller.goal === undefined)
      issues.push({ path: `${path}.${name}`, message: 'needs goal' });
  for (const [index, { silence }] of (caller.script ?? []).entries())
    if (silence !== undefined && !isWithinLimit(silence))
      issues.push({ path: `${path}.script.${index}.silence`, message: 'must be from 0s to 600s' });
  for (const [name, stubs] of Object.entries(tools))
    for (const stub of [stubs].flat())
      if (stub.delay !== undefined && !isWithinLimit(stub.delay))
        issues.push({ path: `tools.${name}.delay`, message: 'must be from 0s to 600s' });
  return issues;
}

const MAX_WAIT_MS = 600_000;

function isWithinLimit(duration: string): boolean {
  const ms = durationToMs(duration);
  return ms >= 0 && ms <= MAX_WAIT_MS;
}

const PATTERN = /^\/(.+)\/$/su;

/** The pattern of a text `/…/`, whatever the case; null for other texts. */
export function patternOf(match: string): string | null {
  const [, pattern] = PATTERN.exec(match) ?? [];
  return pattern === undefined ? null : `(?i:${pattern})`;
}

/**
 * Issues of the regular expressions of a scenario: an invalid one matches nothing, so that `neverSays` would always pass.
 * `issuesOf` returns why each pattern cannot be used; null if it can.
 */
export async function scenarioPatternIssues(
  { caller: { script = [] }, expect = {} }: TestScenario,
  issuesOf: (patterns: readonly string[]) => Promise<(string | null)[]>,
): Promise<Issue[]> {
  const { says, neverSays, stages, state, tools = [] } = expect;
  const patterns = [
    ...script.flatMap(({ agentSays }, index) => patternsIn(agentSays, `caller.script.${index}.agentSays`)),
    ...tools.flatMap((tool, index) => patternsIn(tool.arguments, `expect.tools.${index}.arguments`)),
    ...patternsIn({ says, neverSays, stages, state }, 'expect'),
  ];
  const messages = await issuesOf(patterns.map(({ pattern }) => pattern));
  return patterns.flatMap(({ path }, index): Issue[] => {
    const message = messages[index] ?? null;
    return message === null ? [] : [{ path, message }];
  });
}

function patternsIn(value: unknown, path: string): { path: string; pattern: string }[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, item]) => patternsIn(item, `${path}.${key}`));
  const pattern = typeof value === 'string' ? patternOf(value) : null;
  return pattern === null ? [] : [{ path, pattern }];
}
