import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

export interface Following {
  readonly isFollowing: boolean;
  readonly follow: () => void;
}

/** Less than this above the end counts as the end. */
const NEAR_PIXELS = 24;

/** Keeps the end of a box in view while lines arrive, unless the user has scrolled away. */
export function useFollowing(box: RefObject<HTMLElement | null>, count: number): Following {
  const [isFollowing, setFollowing] = useState(true);
  const isThere = count > 0;
  useEffect(() => {
    const element = box.current;
    if (!element || !isThere) return;
    let last = element.scrollTop;
    // Only scrolling up is the user's: new lines change the distance to the end as well.
    const look = () => {
      const isUp = element.scrollTop < last;
      last = element.scrollTop;
      if (isAtEnd(element)) setFollowing(true);
      else if (isUp) setFollowing(false);
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [box, isThere]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end.
  useLayoutEffect(() => {
    if (isFollowing) scrollToEnd(box.current);
  }, [box, count, isFollowing]);
  return { isFollowing, follow: () => setFollowing(true) };
}

const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < NEAR_PIXELS;

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}
