import { described, Pattern } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, JsonObject, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const MAX_SUCCESS_CRITERIA = 30;

const CriterionName = Pattern(
  '^[a-zA-Z0-9_-]{1,64}$',
  'must be 1 to 64 letters, digits, underscores and hyphens',
  { description: 'Name of the criterion, unique in the call.' },
);

const SuccessCriterion = Closed(
  {
    name: CriterionName,
    prompt: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'What must be true of the call, for example `The user booked a room`.',
    }),
  },
  'SuccessCriterion',
  'A condition that the model checks after the call.',
);

/** A setting of calls. At least one of its fields is set. */
export const AnalysisSettings = Closed(
  {
    dataSchema: Type.Optional(
      described(
        JsonObject,
        'JSON Schema of an object: the data to extract from the conversation, with descriptions for the model.',
      ),
    ),
    successCriteria: Type.Optional(
      Type.Array(SuccessCriterion, {
        minItems: 1,
        maxItems: MAX_SUCCESS_CRITERIA,
        description: 'Conditions that the model checks.',
      }),
    ),
  },
  'AnalysisSettings',
  'What the model extracts from the conversation after the call.',
);
export type AnalysisSettings = Static<typeof AnalysisSettings>;

export const ANALYSIS_OUTCOMES = ['success', 'failure', 'unknown'] as const;
export const AnalysisOutcome = Type.Enum([...ANALYSIS_OUTCOMES]);
export type AnalysisOutcome = Static<typeof AnalysisOutcome>;

const CriterionResult = Closed(
  {
    name: Type.String({ description: 'Name of the criterion.' }),
    outcome: described(AnalysisOutcome, '`unknown`: the conversation does not show it.'),
    reason: Type.String({ description: "Reason, in the model's words." }),
  },
  'CriterionResult',
  'Whether a call meets a criterion.',
);
export type CriterionResult = Static<typeof CriterionResult>;

export const CallAnalysis = Closed(
  {
    status: Type.Enum(['pending', 'done', 'failed'], {
      description: '`failed`: there is no result, for the reason in `failureReason`.',
    }),
    requested: described(DateTime, 'When the analysis was requested: at the end of the call, or later.'),
    completed: Nullable(DateTime, 'When the analysis was done or failed; null while it is pending.'),
    model: Type.String({ description: 'Name of the language model.' }),
    outcome: Nullable(
      AnalysisOutcome,
      '`failure` if a criterion has failed, `success` if all are met, else `unknown`; null without criteria and results.',
    ),
    criteria: Type.Array(CriterionResult, {
      description: 'One result for each criterion; empty until the analysis is done.',
    }),
    data: Type.Optional(
      described(
        JsonObject,
        'The extracted data; absent without `dataSchema`, and until the analysis is done.',
      ),
    ),
    failureReason: Nullable(Type.String(), 'Why the analysis failed; null if it did not.'),
  },
  'CallAnalysis',
  'The analysis of the conversation of a call by a language model.',
);
export type CallAnalysis = Static<typeof CallAnalysis>;

/** The response of a model. Criteria are by their names. */
export const ModelAnalysis = Type.Object({
  data: Type.Optional(JsonObject),
  criteria: Type.Optional(
    Type.Record(Type.String(), Type.Object({ outcome: AnalysisOutcome, reason: Type.String() })),
  ),
});
export type ModelAnalysis = Static<typeof ModelAnalysis>;

/** The outcome over all criteria; null if there are none. */
export function overallOutcome(results: readonly Pick<CriterionResult, 'outcome'>[]): AnalysisOutcome | null {
  if (results.length === 0) return null;
  if (results.some(({ outcome }) => outcome === 'failure')) return 'failure';
  return results.every(({ outcome }) => outcome === 'success') ? 'success' : 'unknown';
}
