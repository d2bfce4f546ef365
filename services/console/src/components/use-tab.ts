import { useSearchParams } from 'react-router';

/** The tab that the URL selects, otherwise the first one, and a function that selects another one. */
export function useTab(
  tabs: readonly [string, ...string[]],
): [tab: string, select: (tab: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const [first] = tabs;
  const tab = tabs.find((each) => each === params.get('tab')) ?? first;
  const select = (next: string | null): void =>
    setParams(next === null || next === first ? {} : { tab: next }, { replace: true });
  return [tab, select];
}
