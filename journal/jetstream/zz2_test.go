package jetstream_test
import ("mulligan";"mulligan/journal/journaltest")
func summary(n int) mulligan.Summary { return journaltest.Summary(benchSession, int64(n)) }
