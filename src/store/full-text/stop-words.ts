/** English words too frequent to distinguish chunks, in the form `foldWord` returns. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at
  be because been before being below between both but by
  can cannot could did do does doing done down during each either else ever
  few for from further get had has have having he her here hers herself him himself his how however
  i if in into is it its itself just let like may me might more most must my myself
  neither no nor not of off on once only or other our ours ourselves out over own per
  same shall she should since so some such
  than that the their theirs them themselves then there these they this those through to too
  under until up upon us very via was we were what when where whether which while who whom whose why will with within
  without would yet you your yours yourself yourselves`
    .split(/\s+/)
    .filter(Boolean),
);
