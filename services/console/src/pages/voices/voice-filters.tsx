import { Select } from '@mantine/core';
import { SearchInput } from '../../components/search-input.tsx';
import { Toolbar } from '../../components/layout.tsx';
import { isVoiceProvider, languageOptions, providerOptions, type VoiceProvider } from './voice-options.ts';

export interface VoiceFilter {
  readonly search?: string;
  readonly ownership?: 'public' | 'private';
  readonly provider?: [VoiceProvider];
  readonly primaryLanguage?: string;
  readonly billingStyle?: 'VOICE_BILLING_STYLE_INCLUDED' | 'VOICE_BILLING_STYLE_EXTERNAL';
}

/** Reads the filter from the URL, so that links include it and back navigation restores it. */
export function filterOf(params: URLSearchParams): VoiceFilter {
  const search = params.get('search');
  const owner = params.get('owner');
  const provider = params.get('provider');
  const language = params.get('language');
  const billing = params.get('billing');
  return {
    ...(search && { search }),
    ...((owner === 'public' || owner === 'private') && { ownership: owner }),
    ...(provider && isVoiceProvider(provider) && { provider: [provider] }),
    ...(language && { primaryLanguage: language }),
    ...(billing === 'included' && { billingStyle: 'VOICE_BILLING_STYLE_INCLUDED' }),
    ...(billing === 'external' && { billingStyle: 'VOICE_BILLING_STYLE_EXTERNAL' }),
  };
}

const LANGUAGES = languageOptions();
const OWNERS = [
  { value: 'private', label: 'Your own' },
  { value: 'public', label: 'Public' },
];
const BILLING = [
  { value: 'included', label: 'Included' },
  { value: 'external', label: 'By the provider' },
];

export function VoiceFilters(props: {
  params: URLSearchParams;
  onChange: (name: string, value: string | null) => void;
}) {
  const { params, onChange } = props;
  const select = (
    name: string,
    label: string,
    data: { value: string; label: string }[],
    searchable = false,
  ) => (
    <Select
      aria-label={label}
      placeholder={label}
      data={data}
      value={params.get(name)}
      onChange={(value) => onChange(name, value)}
      searchable={searchable}
      clearable
      w={{ base: 'calc(50% - 0.375rem)', sm: 150 }}
    />
  );
  return (
    <Toolbar>
      <SearchInput
        label="Search voices"
        value={params.get('search') ?? ''}
        onChange={(text) => onChange('search', text)}
      />
      {select('owner', 'Owner', OWNERS)}
      {select('provider', 'Provider', providerOptions)}
      {select('language', 'Language', LANGUAGES, true)}
      {select('billing', 'Billing', BILLING)}
    </Toolbar>
  );
}
