import { Input, SimpleGrid, Text } from '@mantine/core';
import { DecimalInput } from '../../components/decimal-input.tsx';
import type { ValueInputProps } from '../../components/fields-form.tsx';
import { RowsOf } from '../../components/rows.tsx';
import { ruleText, type Rule } from './rule-text.ts';

const MAX_CALLS = 100;
const MAX_WINDOW_SECONDS = 86_400;

/** The rules of a throttle, all of which must pass. */
export function RulesInput({ label, value, onChange, error }: ValueInputProps) {
  const rules = Array.isArray(value) ? value.filter(isRule) : [];
  return (
    <Input.Wrapper label={label} description="A call is created only if all rules allow it." error={error}>
      <RowsOf<Rule>
        items={rules}
        onChange={onChange}
        what="rule"
        added={{ maxCalls: 100, windowSeconds: 3600 }}
        row={(rule, at) => (
          <>
            <SimpleGrid cols={2}>
              <DecimalInput
                label="Calls"
                value={rule.maxCalls || undefined}
                onChange={(calls = 0) => onChange(rules.with(at, { ...rule, maxCalls: calls }))}
                min={1}
                max={MAX_CALLS}
              />
              <DecimalInput
                label="Within"
                value={rule.windowSeconds || undefined}
                onChange={(seconds = 0) => onChange(rules.with(at, { ...rule, windowSeconds: seconds }))}
                min={1}
                max={MAX_WINDOW_SECONDS}
                suffix=" s"
              />
            </SimpleGrid>
            <Text c="dimmed" fz="xs">
              {ruleText(rule)}
            </Text>
          </>
        )}
      />
    </Input.Wrapper>
  );
}

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && 'maxCalls' in value && 'windowSeconds' in value;
}
