import type { CheckResult } from './certification.ts'
import { checkIds } from './checks.ts'
import { resultOf, untold } from './result.ts'
import type { Scene } from './scene.ts'
import { tries } from './tries.ts'
import { notSeen } from './tries/try.ts'

/** Every check, judged from what a world has seen. @param frozen whether its clock stands still */
export const judgeRecord = (scene: Scene, frozen: boolean): readonly CheckResult[] =>
  checkIds.map((id) => {
    const how = tries[id]
    const finding =
      'make' in how
        ? notSeen('It has to be made to happen: run certify with a profile.')
        : how.judge([{ ...scene, real: !frozen }], undefined)
    return resultOf(id, finding, untold(), undefined)
  })
