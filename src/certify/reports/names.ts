/** The forms that a certification is told in. Apart, so that programs that only name one need the types of none. */
export type ReportName = 'html' | 'json' | 'junit' | 'ctrf' | 'markdown' | 'csv' | 'badge'
