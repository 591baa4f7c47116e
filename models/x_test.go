package models
import ("testing";"fmt";"strings";"time";"runtime")
func TestX(t *testing.T){
 var b strings.Builder
 for i:=0;i<9000;i++{fmt.Fprintf(&b,"a%d=1\n",i)}
 for n,s:=range map[string]string{
  "dotted":strings.Repeat("a.",32000)+"a=1",
  "table":"["+strings.Repeat("a.",32000)+"a]\nb=1",
  "inline":"a="+strings.Repeat("{a=",16000),
  "inline2":"a="+strings.Repeat("{a=",10000)+"1"+strings.Repeat("}",10000),
  "arr":"a="+strings.Repeat("[",32000)+strings.Repeat("]",32000),
  "many":b.String()[:60000]+"\n",
  "tables":strings.Repeat("[[a]]\n",10000),
  "longkey":strings.Repeat("k",60000)+"=1",
  "aliases":small+"aliases=["+strings.Repeat("\"a\",",15000)+"]",
 }{
  t0:=time.Now(); var m0,m1 runtime.MemStats; runtime.ReadMemStats(&m0)
  _,err:=ParseTOML("x",[]byte(s)); runtime.ReadMemStats(&m1)
  e:=fmt.Sprint(err); if len(e)>200{e=e[:200]+"…"}
  fmt.Println(n,time.Since(t0),(m1.TotalAlloc-m0.TotalAlloc)>>20,"MiB",e)
 }
}
