import { Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import type { FormIssues } from '../../components/form-issues.ts';
import { Section } from '../../components/layout.tsx';

/** Times as the form contains them, in local time; '' if unset. */
export interface Times {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly throttle: string;
  readonly webhookUrl: string;
  readonly paused: boolean;
}

export const NO_TIMES: Times = {
  windowStart: '',
  windowEnd: '',
  throttle: '',
  webhookUrl: '',
  paused: false,
};

const MAX_THROTTLES = 100;

/** The fields of the request. */
export function timesBody(times: Times): Omit<Schemas['ScheduledCallBatchRequest'], 'calls'> {
  const { windowStart, windowEnd, throttle, webhookUrl, paused } = times;
  return {
    windowStart: timeOf(windowStart),
    windowEnd: timeOf(windowEnd),
    throttle: throttle || null,
    webhookUrl: webhookUrl.trim() || null,
    paused,
  };
}

function timeOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}

/** When and how fast the calls are created. */
export function TimesSection(props: { times: Times; onChange: (times: Times) => void; issues: FormIssues }) {
  const { times, onChange, issues } = props;
  const throttles = useQuery({
    queryKey: ['throttles', 'names'],
    queryFn: () => dataOf(api.GET('/api/call_throttles', { params: { query: { pageSize: MAX_THROTTLES } } })),
  });
  const change = (changed: Partial<Times>): void => onChange({ ...times, ...changed });
  const input = (name: 'windowStart' | 'windowEnd' | 'webhookUrl') => ({
    value: times[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value }),
    error: issues.at(name),
  });
  return (
    <Section
      title="When"
      description="The calls are created within this window, as fast as the limits allow."
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="From"
            description="In your time zone. Leave empty to start immediately."
            type="datetime-local"
            {...input('windowStart')}
          />
          <TextInput
            label="To"
            description="Calls that are not created by then expire."
            type="datetime-local"
            {...input('windowEnd')}
          />
          <Select
            label="Throttle"
            description="Limits how many calls are created per period."
            placeholder="None"
            data={(throttles.data?.results ?? []).map(({ name }) => name)}
            value={times.throttle || null}
            onChange={(throttle) => change({ throttle: throttle ?? '' })}
            error={issues.at('throttle')}
            clearable
            clearButtonProps={{ 'aria-label': 'No throttle' }}
          />
          <TextInput
            label="Webhook"
            description="Gets batch.ended when the last call is completed."
            type="url"
            placeholder="https://"
            {...input('webhookUrl')}
          />
        </SimpleGrid>
        <Switch
          label="Start paused"
          description="No call is created until you resume the batch."
          checked={times.paused}
          onChange={(event) => change({ paused: event.currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}
