/**
 * One call at a time per key. Calls that arrive during a running call share the next one, which starts after it: no answer
 * is older than its call.
 */
export function shareCalls<Key, T>(make: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const running = new Map<Key, Promise<T>>();
  const next = new Map<Key, Promise<T>>();
  const begin = (key: Key): Promise<T> => {
    const answer = make(key).finally(() => running.delete(key));
    running.set(key, answer);
    return answer;
  };
  const follow = (key: Key, current: Promise<T>): Promise<T> => {
    const beginNext = () => {
      next.delete(key);
      return begin(key);
    };
    const answer = current.then(beginNext, beginNext);
    next.set(key, answer);
    return answer;
  };
  return key => {
    const current = running.get(key);
    return next.get(key) ?? (current === undefined ? begin(key) : follow(key, current));
  };
}
