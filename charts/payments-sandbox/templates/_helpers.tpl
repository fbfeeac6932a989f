{{- define "sandbox.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sandbox.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sandbox.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "sandbox.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sandbox.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "sandbox.serviceAccount" -}}
{{ if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "sandbox.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "sandbox.secret" -}}
{{ .Values.existingSecret | default (include "sandbox.name" .) }}
{{- end }}

{{- define "sandbox.hasSecret" -}}
{{ if or .Values.existingSecret .Values.secrets }}true{{ end }}
{{- end }}

{{- define "sandbox.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sandbox.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* What does not go together is refused where it is rendered, and not where it starts. */ -}}
{{- define "sandbox.check" -}}
{{- $many := or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}
{{- if and $many (not .Values.database) -}}
{{- fail "several processes need a database: set database to true, or replicas to 1 and autoscaling.enabled to false" -}}
{{- end -}}
{{- if and .Values.database .Values.persistence.enabled -}}
{{- fail "rows are kept in a database or in a file: set database or persistence.enabled to false" -}}
{{- end -}}
{{- if and .Values.existingSecret .Values.secrets -}}
{{- fail "secrets come from existingSecret or from secrets: leave one of them empty" -}}
{{- end -}}
{{- if and .Values.database (not .Values.existingSecret) (not (or (hasKey .Values.secrets "SANDBOX_DATABASE_URL") (hasKey .Values.secrets "SANDBOX_DATABASE_URLS"))) -}}
{{- fail "database is true: name a Secret that has SANDBOX_DATABASE_URL or SANDBOX_DATABASE_URLS in existingSecret, or set database to false and replicas to 1" -}}
{{- end -}}
{{- if gt (mul 3 (int .Values.drain)) (int .Values.terminationGracePeriod) -}}
{{- fail "terminationGracePeriod must be at least three times as long as drain" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.min) (int .Values.autoscaling.max)) -}}
{{- fail "autoscaling.min must be at most autoscaling.max" -}}
{{- end -}}
{{- end }}
